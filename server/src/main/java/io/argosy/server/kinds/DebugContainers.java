package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Difference;
import java.util.HashMap;
import java.util.Map;

/** What may be done through {@code pods/ephemeralcontainers}: containers are added, and stay. */
final class DebugContainers {
    private static final String FIELD = "ephemeralContainers";

    private DebugContainers() {}

    /** Takes back every other change. */
    static void confine(ObjectNode pod, ObjectNode before) {
        JsonNode wanted = pod.path("spec").path(FIELD);
        ObjectNode spec = before.path("spec").deepCopy();
        if (wanted.isEmpty()) {
            spec.remove(FIELD);
        } else {
            spec.set(FIELD, wanted);
        }
        pod.set("spec", spec);
        PodStrategy.keepMetadata(pod, before);
    }

    static void check(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        if (PodStrategy.isMirror(before)) {
            errors.forbidden("", "static pods do not support ephemeral containers");
            return;
        }
        Map<String, JsonNode> now = new HashMap<>();
        for (JsonNode container : pod.path("spec").path(FIELD)) {
            now.put(container.path("name").asText(), container);
        }
        for (JsonNode container : before.path("spec").path(FIELD)) {
            String name = container.path("name").asText();
            if (!now.containsKey(name)) {
                errors.forbidden(
                        "spec." + FIELD, "existing ephemeral containers \"" + name + "\" may not be removed\n");
            } else if (!now.get(name).equals(container)) {
                errors.forbidden(
                        "spec." + FIELD,
                        "existing ephemeral containers \"" + name + "\" may not be changed\n"
                                + Difference.of(container, now.get(name)));
            }
        }
    }
}
