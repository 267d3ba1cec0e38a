package io.argosy.server.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** HorizontalPodAutoscaler v1 knows one metric, the use of cpu; v2, as stored, knows a list of them. */
final class AutoscalerConversion {
    private AutoscalerConversion() {}

    static void toV2(ObjectNode autoscaler) {
        if (autoscaler.get("spec") instanceof ObjectNode spec) {
            JsonNode target = spec.remove("targetCPUUtilizationPercentage");
            if (target != null && !target.isNull()) {
                ObjectNode resource = cpuMetric(Conversions.arrayIn(spec, "metrics"));
                resource.putObject("target").put("type", "Utilization").set("averageUtilization", target);
            }
        }
        if (autoscaler.get("status") instanceof ObjectNode status) {
            JsonNode current = status.remove("currentCPUUtilizationPercentage");
            if (current != null && !current.isNull()) {
                ObjectNode resource = cpuMetric(Conversions.arrayIn(status, "currentMetrics"));
                resource.putObject("current").put("averageValue", "0").set("averageUtilization", current);
            }
        }
    }

    static void fromV2(ObjectNode autoscaler) {
        if (autoscaler.get("spec") instanceof ObjectNode spec && spec.remove("metrics") instanceof ArrayNode metrics) {
            for (JsonNode metric : metrics) {
                JsonNode target = metric.path("resource").path("target").path("averageUtilization");
                if (isCpu(metric) && !target.isMissingNode()) {
                    spec.set("targetCPUUtilizationPercentage", target);
                }
            }
            spec.remove("behavior");
        }
        if (autoscaler.get("status") instanceof ObjectNode status) {
            for (JsonNode metric : status.path("currentMetrics")) {
                JsonNode current = metric.path("resource").path("current").path("averageUtilization");
                if (isCpu(metric) && !current.isMissingNode()) {
                    status.set("currentCPUUtilizationPercentage", current);
                }
            }
            status.remove(java.util.List.of("currentMetrics", "conditions"));
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
