package io.argosy.controllers.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Response;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.controllers.catalog.ResourceCatalog.ApiResource;
import java.util.Map;

/** Requests about objects of any kind, without a class for it. */
public final class RawObjects {
    private static final byte[] NOTHING = new byte[0];
    private static final String JSON = "application/json";

    private final ApiTransport transport;

    public RawObjects(ApiTransport transport) {
        this.transport = transport;
    }

    public ObjectMetas.Meta get(ApiResource resource, String namespace, String name) {
        return ObjectMetas.read(
                send(Verb.GET, resource, namespace, name, "", NOTHING).body());
    }

    public ObjectMetas.Listing list(ApiResource resource, String namespace) {
        return ObjectMetas.list(
                send(Verb.LIST, resource, namespace, "", "", NOTHING).body());
    }

    public void mergePatch(ApiResource resource, String namespace, String name, JsonNode patch) {
        send(Verb.PATCH, resource, namespace, name, "application/merge-patch+json", Json.encode(patch));
    }

    /** Options are a DeleteOptions object. */
    public void delete(ApiResource resource, String namespace, String name, JsonNode options) {
        send(Verb.DELETE, resource, namespace, name, JSON, Json.encode(options));
    }

    public void deleteAll(ApiResource resource, String namespace, JsonNode options) {
        send(Verb.DELETE_COLLECTION, resource, namespace, "", JSON, Json.encode(options));
    }

    private Response send(
            Verb verb, ApiResource resource, String namespace, String name, String contentType, byte[] body) {
        return transport.send(new Request(
                verb,
                resource.groupVersion(),
                resource.resource(),
                resource.namespaced() ? namespace : "",
                name,
                "",
                Map.of(),
                contentType,
                body));
    }
}
