package io.argosy.server.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * HorizontalPodAutoscaler v1 knows one metric, the use of cpu; v2, as stored, knows a list of them and more. What v1 cannot say stands
 * in annotations there, so that nothing is lost by who reads and writes the older version.
 */
final class AutoscalerConversion {
    private static final String METRICS = "autoscaling.alpha.kubernetes.io/metrics";
    private static final String BEHAVIOUR = "autoscaling.alpha.kubernetes.io/behavior";
    private static final String CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
    private static final String CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";

    private AutoscalerConversion() {}

    static void toV2(ObjectNode autoscaler) {
        ObjectNode spec = autoscaler.withObject("/spec");
        JsonNode target = spec.remove("targetCPUUtilizationPercentage");
        if (target != null && !target.isNull()) {
            ObjectNode resource = cpuMetric(Conversions.arrayIn(spec, "metrics"));
            resource.putObject("target").put("type", "Utilization").set("averageUtilization", target);
        }
        if (take(autoscaler, METRICS) instanceof ArrayNode others) {
            Conversions.arrayIn(spec, "metrics").addAll(others);
        }
        if (take(autoscaler, BEHAVIOUR) instanceof ObjectNode behaviour) {
            spec.set("behavior", behaviour);
        }
        ObjectNode status = autoscaler.withObject("/status");
        JsonNode current = status.remove("currentCPUUtilizationPercentage");
        JsonNode measured = take(autoscaler, CURRENT_METRICS);
        if (measured instanceof ArrayNode all) {
            status.set("currentMetrics", all);
        } else if (current != null && !current.isNull()) {
            ObjectNode resource = cpuMetric(Conversions.arrayIn(status, "currentMetrics"));
            resource.putObject("current").put("averageValue", "0").set("averageUtilization", current);
        }
        if (take(autoscaler, CONDITIONS) instanceof ArrayNode conditions) {
            status.set("conditions", conditions);
        }
        if (status.isEmpty()) {
            autoscaler.remove("status");
        }
    }

    static void fromV2(ObjectNode autoscaler) {
        if (autoscaler.get("spec") instanceof ObjectNode spec) {
            ArrayNode others = Json.NODES.arrayNode();
            if (spec.remove("metrics") instanceof ArrayNode metrics) {
                for (JsonNode metric : metrics) {
                    JsonNode target = metric.path("resource").path("target").path("averageUtilization");
                    if (isCpu(metric) && !target.isMissingNode() && !spec.has("targetCPUUtilizationPercentage")) {
                        spec.set("targetCPUUtilizationPercentage", target);
                    } else {
                        others.add(metric);
                    }
                }
            }
            keep(autoscaler, METRICS, others);
            keep(autoscaler, BEHAVIOUR, spec.remove("behavior"));
        }
        if (autoscaler.get("status") instanceof ObjectNode status) {
            JsonNode measured = status.remove("currentMetrics");
            for (JsonNode metric : measured == null ? Json.NODES.arrayNode() : measured) {
                JsonNode current = metric.path("resource").path("current").path("averageUtilization");
                if (isCpu(metric) && !current.isMissingNode()) {
                    status.set("currentCPUUtilizationPercentage", current);
                }
            }
            keep(autoscaler, CURRENT_METRICS, measured);
            keep(autoscaler, CONDITIONS, status.remove("conditions"));
        }
    }

    private static void keep(ObjectNode autoscaler, String annotation, JsonNode value) {
        if (value != null && !value.isEmpty()) {
            autoscaler
                    .withObject("/metadata")
                    .withObject("/annotations")
                    .put(annotation, new String(Json.encode(value), StandardCharsets.UTF_8));
        }
    }

    /** What an annotation holds, which it then does no longer; null if that is nothing, or not what was put there. */
    private static JsonNode take(ObjectNode autoscaler, String annotation) {
        if (!(autoscaler.path("metadata").path("annotations") instanceof ObjectNode annotations)) {
            return null;
        }
        JsonNode text = annotations.remove(annotation);
        if (annotations.isEmpty()) {
            ((ObjectNode) autoscaler.path("metadata")).remove("annotations");
        }
        if (text == null) {
            return null;
        }
        try {
            return Json.decode(text.asText().getBytes(StandardCharsets.UTF_8));
        } catch (IOException notOurs) {
            return null;
        }
    }

    private static boolean isCpu(JsonNode metric) {
        return metric.path("type").asText().equals("Resource")
                && metric.path("resource").path("name").asText().equals("cpu");
    }

    private static ObjectNode cpuMetric(ArrayNode metrics) {
        return metrics.addObject().put("type", "Resource").putObject("resource").put("name", "cpu");
    }
}
