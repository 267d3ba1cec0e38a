package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.Collectors;

/** Tables of pods, of their templates, and of what disturbs them. */
final class PodTables {
    private PodTables() {}

    static TableDefinition pods() {
        return TableBuilder.rows(PodRow::new)
                .name(Row::name)
                .text("Ready", "How many containers are ready, of all the pod has.", PodRow::ready)
                .text("Status", "The state of the pod and its containers in one word.", PodRow::status)
                .text(
                        "Restarts",
                        "How often containers of the pod were restarted, and when that happened last.",
                        PodRow::restarts)
                .age()
                .wide("IP", "The first address of the pod.", PodRow::address)
                .wide("Node", "The node the pod is bound to.", pod -> pod.filledOr(Row.NONE, "spec", "nodeName"))
                .wide(
                        "Nominated Node",
                        "The node on which others are evicted to make room for the pod.",
                        pod -> pod.filledOr(Row.NONE, "status", "nominatedNodeName"))
                .wide(
                        "Readiness Gates",
                        "How many of the conditions that others set hold, of those the pod waits for.",
                        PodRow::readinessGates)
                .build();
    }

    static TableDefinition podTemplates() {
        return TableBuilder.named()
                .text("Containers", "The names of the containers.", row -> Row.join(row.at(containersPath()), "name"))
                .text("Images", "The images of the containers.", row -> Row.join(row.at(containersPath()), "image"))
                .text(
                        "Pod Labels",
                        "The labels that pods made of the template get.",
                        row -> SelectorText.labels(row.at("template", "metadata", "labels")))
                .build();
    }

    private static String[] containersPath() {
        return new String[] {"template", "spec", "containers"};
    }

    static TableDefinition disruptionBudgets() {
        return TableBuilder.named()
                .text(
                        "Min Available",
                        "How many pods must stay available.",
                        budget -> budget.textOr("N/A", "spec", "minAvailable"))
                .text(
                        "Max Unavailable",
                        "How many pods may be unavailable.",
                        budget -> budget.textOr("N/A", "spec", "maxUnavailable"))
                .number(
                        "Allowed Disruptions",
                        "How many pods may be evicted now.",
                        budget -> budget.number("status", "disruptionsAllowed"))
                .age()
                .build();
    }

    static TableDefinition resourceQuotas() {
        return TableBuilder.named()
                .text("Request", "What is used and allowed of everything but limits.", row -> quota(row, false))
                .text("Limit", "What is used and allowed of limits.", row -> quota(row, true))
                .age()
                .build();
    }

    private static String quota(Row row, boolean ofLimits) {
        JsonNode hard = row.at("status", "hard");
        return hard.propertyStream()
                .map(Map.Entry::getKey)
                .filter(resource -> resource.startsWith("limits.") == ofLimits)
                .sorted()
                .map(resource -> resource + ": "
                        + row.textOr("0", "status", "used", resource) + "/"
                        + hard.path(resource).asText())
                .collect(Collectors.joining(", "));
    }
}
