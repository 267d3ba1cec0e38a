package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.setDefault;
import static io.argosy.server.kinds.Trees.showEmpty;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;

/** Autoscalers: how many pods there may be, and by which metrics and how fast their number changes. */
final class AutoscalerStrategy implements Strategy {
    private static final int DEFAULT_CPU_PERCENT = 80;

    @Override
    public void applyDefaults(ObjectNode autoscaler) {
        ObjectNode spec = child(autoscaler, "spec");
        setDefault(spec, "minReplicas", 1);
        if (spec.path("metrics").isEmpty()) {
            spec.putArray("metrics")
                    .addObject()
                    .put("type", "Resource")
                    .putObject("resource")
                    .put("name", "cpu")
                    .putObject("target")
                    .put("type", "Utilization")
                    .put("averageUtilization", DEFAULT_CPU_PERCENT);
        }
        showEmpty(child(autoscaler, "status"), "currentMetrics");
        ObjectNode behaviour = existing(spec, "behavior");
        if (behaviour != null) {
            ObjectNode up = child(behaviour, "scaleUp");
            setDefault(up, "stabilizationWindowSeconds", 0);
            rules(up);
            if (!up.has("policies")) {
                ArrayNode policies = up.putArray("policies");
                policy(policies, "Pods", 4);
                policy(policies, "Percent", 100);
            }
            ObjectNode down = child(behaviour, "scaleDown");
            rules(down);
            if (!down.has("policies")) {
                policy(down.putArray("policies"), "Percent", 100);
            }
        }
    }

    private static void rules(ObjectNode rules) {
        setDefault(rules, "selectPolicy", "Max");
    }

    private static void policy(ArrayNode policies, String type, int value) {
        policies.addObject().put("type", type).put("value", value).put("periodSeconds", 15);
    }

    @Override
    public void validateCreate(ObjectNode autoscaler, FieldErrors errors) {
        AutoscalerValidation.spec(autoscaler.path("spec"), false, errors);
    }

    /** Whatever was once taken for the version of what is scaled is so until something else is scaled. */
    @Override
    public void validateUpdate(ObjectNode autoscaler, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            AutoscalerValidation.status(autoscaler.path("status"), errors);
            return;
        }
        JsonNode target = autoscaler.path("spec").path("scaleTargetRef");
        JsonNode was = before.path("spec").path("scaleTargetRef");
        boolean stays = target.path("apiVersion").equals(was.path("apiVersion"))
                && target.path("kind").equals(was.path("kind"));
        AutoscalerValidation.spec(autoscaler.path("spec"), stays, errors);
    }
}
