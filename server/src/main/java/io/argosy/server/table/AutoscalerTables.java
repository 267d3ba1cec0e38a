package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The table of autoscalers, with each metric as it is and as it should be. */
final class AutoscalerTables {
    private static final int METRICS_SHOWN = 2;

    private AutoscalerTables() {}

    static TableDefinition autoscalers() {
        Column maximum = new Column("MaxPods", "string", "", "How many pods there may be at most.", 0);
        Column replicas = new Column("Replicas", "string", "", "How many pods there are.", 0);
        return TableBuilder.named()
                .text(
                        "Reference",
                        "What is scaled.",
                        row -> row.text("spec", "scaleTargetRef", "kind") + "/"
                                + row.text("spec", "scaleTargetRef", "name"))
                .text("Targets", "Each metric as it is and as it should be.", AutoscalerTables::targets)
                .text("MinPods", "How many pods there must be.", row -> row.textOr(Row.UNSET, "spec", "minReplicas"))
                .add(maximum, TableBuilder.number(row -> row.number("spec", "maxReplicas")))
                .add(replicas, TableBuilder.number(row -> row.number("status", "currentReplicas")))
                .age()
                .build();
    }

    private static String targets(Row autoscaler) {
        JsonNode specs = autoscaler.at("spec", "metrics");
        JsonNode statuses = autoscaler.at("status", "currentMetrics");
        List<String> metrics = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            metrics.add(metric(specs.get(i), statuses.path(i)));
        }
        return metrics.isEmpty() ? Row.NONE : ShortList.of(metrics, ", ", METRICS_SHOWN);
    }

    private static String metric(JsonNode spec, JsonNode status) {
        String source = switch (spec.path("type").asText()) {
            case "External" -> "external";
            case "Object" -> "object";
            case "Pods" -> "pods";
            case "Resource" -> "resource";
            case "ContainerResource" -> "containerResource";
            default -> "";
        };
        if (source.isEmpty()) {
            return "<unknown type>";
        }
        JsonNode target = spec.path(source).path("target");
        JsonNode current = status.path(source).path("current");
        return switch (source) {
            case "pods" -> pair(current, target, "averageValue", Row.UNKNOWN, "");
            case "external", "object" ->
                target.has("averageValue")
                        ? pair(current, target, "averageValue", Row.UNKNOWN, "") + " (avg)"
                        : pair(current, target, "value", Row.UNKNOWN, "");
            default ->
                spec.path(source).path("name").asText() + ": "
                        + (target.has("averageValue")
                                ? pair(current, target, "averageValue", Row.UNKNOWN, "")
                                : pair(current, target, "averageUtilization", "<auto>", "%"));
        };
    }

    private static String pair(JsonNode current, JsonNode target, String field, String noTarget, String unit) {
        return value(current, field, Row.UNKNOWN, unit) + "/" + value(target, field, noTarget, unit);
    }

    private static String value(JsonNode values, String field, String absent, String unit) {
        return values.has(field) ? values.path(field).asText() + unit : absent;
    }
}
