package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;

/** The conditions in the status of an object. */
public final class Conditions {
    private Conditions() {}

    /** One condition, without its time. */
    public record Condition(String type, String status, String reason, String message) {}

    /** Sets a condition; its time changes only with its status. */
    public static void set(ObjectNode status, Condition condition, Clock clock) {
        ArrayNode all = status.get("conditions") instanceof ArrayNode found ? found : status.putArray("conditions");
        ObjectNode target = null;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).path("type").asText().equals(condition.type())) {
                target = (ObjectNode) all.get(i);
            }
        }
        String time = target != null && target.path("status").asText().equals(condition.status())
                ? target.path("lastTransitionTime").asText("")
                : Metadata.time(clock.now());
        target = target == null ? all.addObject() : target;
        target.removeAll();
        target.put("lastTransitionTime", time)
                .put("message", condition.message())
                .put("reason", condition.reason())
                .put("status", condition.status())
                .put("type", condition.type());
    }

    public static void remove(ObjectNode status, String type) {
        if (status.get("conditions") instanceof ArrayNode all) {
            for (int i = all.size() - 1; i >= 0; i--) {
                if (all.get(i).path("type").asText().equals(type)) {
                    all.remove(i);
                }
            }
        }
    }
}
