package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.quantity.Amount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Tables of machines and of what describes how pods run on them. */
final class NodeTables {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";

    private NodeTables() {}

    static TableDefinition nodes() {
        return TableBuilder.named()
                .text("Status", "Whether the node is ready and takes new pods.", NodeTables::status)
                .text("Roles", "What the node is for, from its labels.", NodeTables::roles)
                .age()
                .text("Version", "The version of the node's agent.", node -> info(node, "kubeletVersion", ""))
                .wide("Internal-IP", "The node's address inside the cluster.", node -> address(node, "InternalIP"))
                .wide("External-IP", "The node's address for others.", node -> address(node, "ExternalIP"))
                .wide("OS-Image", "The node's operating system.", node -> info(node, "osImage", Row.UNKNOWN))
                .wide("Kernel-Version", "The node's kernel.", node -> info(node, "kernelVersion", Row.UNKNOWN))
                .wide(
                        "Container-Runtime",
                        "What runs containers on the node.",
                        node -> info(node, "containerRuntimeVersion", Row.UNKNOWN))
                .build();
    }

    private static String status(Row node) {
        List<String> words = new ArrayList<>();
        String ready = node.condition("Ready");
        if (ready.isEmpty()) {
            words.add("Unknown");
        } else {
            words.add(ready.equals("True") ? "Ready" : "NotReady");
        }
        if (node.flag("spec", "unschedulable")) {
            words.add("SchedulingDisabled");
        }
        return String.join(",", words);
    }

    private static String roles(Row node) {
        TreeSet<String> roles = new TreeSet<>();
        for (Map.Entry<String, JsonNode> label : node.at("metadata", "labels").properties()) {
            if (label.getKey().startsWith(ROLE_PREFIX)) {
                roles.add(label.getKey().substring(ROLE_PREFIX.length()));
            } else if (label.getKey().equals("kubernetes.io/role")) {
                roles.add(label.getValue().asText());
            }
        }
        roles.remove("");
        return roles.isEmpty() ? Row.NONE : String.join(",", roles);
    }

    private static String info(Row node, String field, String absent) {
        return node.filledOr(absent, "status", "nodeInfo", field);
    }

    private static String address(Row node, String type) {
        for (JsonNode address : node.at("status", "addresses")) {
            if (address.path("type").asText().equals(type)) {
                return address.path("address").asText();
            }
        }
        return Row.NONE;
    }

    static TableDefinition runtimeClasses() {
        return TableBuilder.named()
                .text("Handler", "What the node's runtime calls this way to run pods.", row -> row.text("handler"))
                .age()
                .build();
    }

    static TableDefinition priorityClasses() {
        return TableBuilder.named()
                .number("Value", "The priority of pods of the class; more goes first.", row -> row.number("value"))
                .flag(
                        "Global-Default",
                        "Whether pods that name no class are of this.",
                        row -> row.flag("globalDefault"))
                .age()
                .text(
                        "PreemptionPolicy",
                        "Whether pods of the class may have others evicted.",
                        row -> row.text("preemptionPolicy"))
                .build();
    }

    static TableDefinition leases() {
        return TableBuilder.named()
                .text("Holder", "Who holds the lease.", row -> row.text("spec", "holderIdentity"))
                .age()
                .build();
    }

    static TableDefinition componentStatuses() {
        return TableBuilder.named()
                .text("Status", "Whether the component is healthy.", row -> switch (healthy(row)
                        .path("status")
                        .asText("none")) {
                    case "none" -> "Unknown";
                    case "True" -> "Healthy";
                    default -> "Unhealthy";
                })
                .text(
                        "Message",
                        "What the component says.",
                        row -> healthy(row).path("message").asText(""))
                .text(
                        "Error",
                        "What is wrong with the component.",
                        row -> healthy(row).path("error").asText(""))
                .build();
    }

    /** What is used; of a pod by all its containers together. */
    static TableDefinition usage() {
        return TableBuilder.named()
                .text("Cpu", "Processors in use.", row -> used(row, "cpu"))
                .text("Memory", "Memory in use.", row -> used(row, "memory"))
                .text("Window", "How long was measured.", row -> row.text("window"))
                .build();
    }

    private static String used(Row row, String resource) {
        Amount sum = Amount.parse(row.text("usage", resource)).orElse(Amount.ZERO);
        for (JsonNode container : row.at("containers")) {
            sum = sum.plus(Amount.parse(container.path("usage").path(resource).asText())
                    .orElse(Amount.ZERO));
        }
        return sum.toString();
    }

    private static JsonNode healthy(Row component) {
        for (JsonNode condition : component.at("conditions")) {
            if (condition.path("type").asText().equals("Healthy")) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }
}
