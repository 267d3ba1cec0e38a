package io.argosy.server.presence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.rest.LocalApi;
import java.util.Map;
import java.util.function.Function;

/** Makes Endpoints and EndpointSlice what they should be, beside others who may do the same. */
public final class EndpointWriter {
    private static final GroupVersion CORE = new GroupVersion("", "v1");
    private static final GroupVersion DISCOVERY = new GroupVersion("discovery.k8s.io", "v1");

    /** How often an object is read anew that somebody else changed meanwhile. */
    private static final int TRIES = 10;

    private final LocalApi api;

    public EndpointWriter(LocalApi api) {
        this.api = api;
    }

    /** Writes what differs from what is there. */
    public void write(ListedEndpoints wanted) {
        bring(CORE, "endpoints", wanted, wanted::endpoints);
        bring(DISCOVERY, "endpointslices", wanted, current -> {
            boolean other =
                    current.isObject() && !current.path("addressType").asText().equals(wanted.family());
            if (other) { // which cannot be changed
                send("delete", DISCOVERY, "endpointslices", wanted, new byte[0]);
            }
            return wanted.slice(other ? MissingNode.getInstance() : current);
        });
    }

    JsonNode endpoints(String namespace, String name) {
        return find(CORE, "endpoints", namespace, name);
    }

    private void bring(
            GroupVersion version, String resource, ListedEndpoints wanted, Function<JsonNode, ObjectNode> change) {
        for (int left = TRIES; ; left--) {
            ObjectNode object = change.apply(find(version, resource, wanted.namespace(), wanted.name()));
            if (object == null) {
                return;
            }
            try {
                boolean update = object.at("/metadata").has("resourceVersion");
                send(update ? "update" : "create", version, resource, wanted, Json.encode(object));
                return;
            } catch (ApiException refusal) {
                boolean passed =
                        refusal.is(Reason.Conflict) || refusal.is(Reason.AlreadyExists) || refusal.is(Reason.NotFound);
                if (!passed || left == 1) {
                    throw refusal;
                }
            }
        }
    }

    private JsonNode find(GroupVersion version, String resource, String namespace, String name) {
        try {
            return Json.decodeObject(
                    call("get", version, resource, namespace, name, new byte[0]).json());
        } catch (ApiException refusal) {
            if (refusal.is(Reason.NotFound)) {
                return MissingNode.getInstance();
            }
            throw refusal;
        }
    }

    private void send(String verb, GroupVersion version, String resource, ListedEndpoints wanted, byte[] body) {
        call(verb, version, resource, wanted.namespace(), verb.equals("create") ? "" : wanted.name(), body);
    }

    private LocalApi.Reply call(
            String verb, GroupVersion version, String resource, String namespace, String name, byte[] body) {
        return api.send(
                new LocalApi.Call(verb, version, resource, namespace, name, "", Map.of(), "application/json", body));
    }
}
