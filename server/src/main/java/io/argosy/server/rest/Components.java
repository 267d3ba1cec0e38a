package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parts of a control plane as ComponentStatuses tell of them: all in this process, and as well as it is. */
final class Components {
    /** Which of the server's checks speaks for a component. */
    private static final Map<String, String> CHECKS = new LinkedHashMap<>();

    static {
        CHECKS.put("controller-manager", "informer-sync");
        CHECKS.put("etcd-0", "etcd");
        CHECKS.put("scheduler", "informer-sync");
    }

    private final Health health;

    Components(Health health) {
        this.health = health;
    }

    static boolean isComponent(ResourceType type) {
        return type.groupResource().toString().equals("componentstatuses");
    }

    List<byte[]> all() {
        return CHECKS.keySet().stream().map(this::status).map(Json::encode).toList();
    }

    byte[] get(ResourceRequest request) {
        if (!CHECKS.containsKey(request.name())) {
            throw ApiException.notFound(request.type().groupResource(), request.name());
        }
        return Json.encode(status(request.name()));
    }

    private ObjectNode status(String name) {
        boolean healthy = health.passes(CHECKS.get(name));
        ObjectNode status = Json.object().put("kind", "ComponentStatus").put("apiVersion", "v1");
        status.putObject("metadata").put("name", name);
        ObjectNode condition = status.putArray("conditions")
                .addObject()
                .put("type", "Healthy")
                .put("status", healthy ? "True" : "False");
        condition.put(healthy ? "message" : "error", healthy ? "ok" : "it does not answer");
        return status;
    }
}
