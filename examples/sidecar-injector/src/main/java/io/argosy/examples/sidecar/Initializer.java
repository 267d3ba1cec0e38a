package io.argosy.examples.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Reconciler.Result;
import io.argosy.client.informer.Informer;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The same injection as it was done before there were webhooks: a controller that sees new pods before anybody else does. */
final class Initializer {
    private static final String NAME = "proxy.mesh.example.com";

    private final Informer<Pod> pods;
    private final Client client;
    private final Injection injection;

    Initializer(Informer<Pod> pods, Client client, Injection injection) {
        this.pods = pods;
        this.client = client;
        this.injection = injection;
    }

    Result reconcile(NamespacedName key) throws IOException {
        Optional<Pod> pod = pods.get(key);
        JsonNode tree = Json.decode(Models.encode(pod.orElseGet(Pod::new)));
        if (!tree.at("/metadata/initializers/pending/0/name").asText().equals(NAME)) {
            return Result.done();
        }
        Map<String, String> labels = client.resources(Namespace.class)
                .get("", key.namespace())
                .getMetadata()
                .getLabels();
        ArrayNode patch = "enabled".equals(labels.get("sidecar-injection"))
                ? injection.patch(tree, key.namespace(), new ArrayList<>())
                : Json.NODES.arrayNode();
        patch.addObject()
                .put("op", "test")
                .put("path", "/metadata/initializers/pending/0/name")
                .put("value", NAME);
        patch.addObject().put("op", "remove").put("path", "/metadata/initializers/pending/0");
        client.resources(Pod.class).patch(key.namespace(), key.name(), PatchType.JSON, patch);
        return Result.done();
    }

    /** Shows objects that are not initialized yet, too. */
    record Early(ApiTransport transport) implements ApiTransport {
        @Override
        public Response send(Request request) {
            return transport.send(early(request));
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            return transport.watch(early(request), sink);
        }

        private static Request early(Request request) {
            Map<String, String> query = new HashMap<>(request.query());
            query.put("includeUninitialized", "true");
            return new Request(
                    request.verb(),
                    request.groupVersion(),
                    request.resource(),
                    request.namespace(),
                    request.name(),
                    request.subresource(),
                    query,
                    request.contentType(),
                    request.body());
        }
    }
}
