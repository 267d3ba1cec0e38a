package io.argosy.controllers.meta;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.controllers.catalog.ResourceCatalog;
import java.util.Map;
import java.util.Optional;

/** Reads and writes the size of anything that has one, through its scale. */
public final class ScaleHand {
    private static final byte[] NOTHING = new byte[0];
    private static final int ATTEMPTS = 5;

    private final ApiTransport transport;
    private final ResourceCatalog catalog;

    public ScaleHand(ApiTransport transport, ResourceCatalog catalog) {
        this.transport = transport;
        this.catalog = catalog;
    }

    /** Something that can be scaled, by kind and name. */
    public record Target(String apiVersion, String kind, String namespace, String name) {}

    /**
     * The scale of a target.
     *
     * @param wanted how many pods are asked for
     * @param current how many there are
     * @param selector the pods, as a query writes it
     */
    public record Scale(String uid, int wanted, int current, String selector, ObjectNode object) {}

    /** The scale; empty where no resource of that kind is known. Refusals are the API's. */
    public Optional<Scale> get(Target target) {
        return catalog.find(target.apiVersion(), target.kind())
                .map(resource -> Json.decodeObject(transport
                        .send(request(Verb.GET, resource, target, NOTHING))
                        .body()))
                .map(scale -> new Scale(
                        scale.at("/metadata/uid").asText(),
                        scale.at("/spec/replicas").asInt(),
                        scale.at("/status/replicas").asInt(),
                        scale.at("/status/selector").asText(),
                        scale));
    }

    /** Asks for another size, also if the target has changed since the scale was read: its status changes all the time. */
    public void set(Target target, Scale scale, int replicas) {
        Scale latest = scale;
        for (int left = ATTEMPTS; ; left--) {
            try {
                put(target, latest, replicas);
                return;
            } catch (ApiException e) {
                if (left == 1 || !e.is(Reason.Conflict)) {
                    throw e;
                }
                latest = get(target).orElseThrow(() -> e);
            }
        }
    }

    private void put(Target target, Scale scale, int replicas) {
        ResourceCatalog.ApiResource resource =
                catalog.find(target.apiVersion(), target.kind()).orElseThrow();
        ObjectNode changed = scale.object().deepCopy();
        changed.withObject("/spec").put("replicas", replicas);
        transport.send(request(Verb.UPDATE, resource, target, Json.encode(changed)));
    }

    private static Request request(Verb verb, ResourceCatalog.ApiResource resource, Target target, byte[] body) {
        return new Request(
                verb,
                resource.groupVersion(), // the one that is named may not be served any more
                resource.resource(),
                resource.namespaced() ? target.namespace() : "",
                target.name(),
                "scale",
                Map.of(),
                body.length == 0 ? "" : "application/json",
                body);
    }
}
