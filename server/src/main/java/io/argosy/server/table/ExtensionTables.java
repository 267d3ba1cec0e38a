package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Arrays;

/** Tables of what extends the API or takes part in its requests. */
final class ExtensionTables {
    private ExtensionTables() {}

    static TableDefinition webhooks() {
        return TableBuilder.named()
                .number("Webhooks", "How many webhooks are called.", row -> row.count("webhooks"))
                .age()
                .build();
    }

    static TableDefinition validatingPolicies() {
        return policies("Validations", "How many expressions must hold.", "validations");
    }

    static TableDefinition mutatingPolicies() {
        return policies("Mutations", "How many changes are made.", "mutations");
    }

    private static TableDefinition policies(String column, String description, String field) {
        return TableBuilder.named()
                .number(column, description, row -> row.count("spec", field))
                .text("ParamKind", "The kind of objects the policy is set with.", ExtensionTables::paramKind)
                .age()
                .build();
    }

    private static String paramKind(Row policy) {
        return policy.has("spec", "paramKind")
                ? policy.text("spec", "paramKind", "apiVersion") + "/" + policy.text("spec", "paramKind", "kind")
                : Row.UNSET;
    }

    static TableDefinition policyBindings() {
        return TableBuilder.named()
                .text("PolicyName", "The policy that is put to use.", row -> row.text("spec", "policyName"))
                .text("ParamRef", "The objects it is set with.", ExtensionTables::paramRef)
                .age()
                .build();
    }

    private static String paramRef(Row binding) {
        JsonNode params = binding.at("spec", "paramRef");
        String name = params.path("name").asText("");
        if (name.isEmpty()) {
            return params.has("selector") ? SelectorText.selector(params.path("selector")) : Row.UNSET;
        }
        // whether the objects have a namespace cannot be seen from here
        String namespace = params.path("namespace").asText("");
        return (namespace.isEmpty() ? "*" : namespace) + "/" + name;
    }

    static TableDefinition apiServices() {
        return TableBuilder.named()
                .text("Service", "Who answers for the version.", ExtensionTables::service)
                .text("Available", "Whether it answers.", ExtensionTables::available)
                .age()
                .build();
    }

    private static String service(Row apiService) {
        return apiService.has("spec", "service")
                ? apiService.text("spec", "service", "namespace") + "/" + apiService.text("spec", "service", "name")
                : "Local";
    }

    private static String available(Row apiService) {
        for (JsonNode condition : apiService.at("status", "conditions")) {
            if (condition.path("type").asText().equals("Available")) {
                String status = condition.path("status").asText();
                String reason = condition.path("reason").asText("");
                return status.equals("True") || reason.isEmpty() ? status : status + " (" + reason + ")";
            }
        }
        return "Unknown";
    }

    static TableDefinition flowSchemas() {
        Column precedence =
                new Column("MatchingPrecedence", "string", "", "Which schema is tried first; less goes first.", 0);
        return TableBuilder.named()
                .text(
                        "PriorityLevel",
                        "The level requests are counted to.",
                        row -> row.text("spec", "priorityLevelConfiguration", "name"))
                .add(precedence, TableBuilder.number(row -> row.number("spec", "matchingPrecedence")))
                .text(
                        "DistinguisherMethod",
                        "How flows are told apart.",
                        row -> row.textOr(Row.NONE, "spec", "distinguisherMethod", "type"))
                .age()
                .text("MissingPL", "Whether the level does not exist.", row -> dangling(row.condition("Dangling")))
                .build();
    }

    private static String dangling(String status) {
        return status.isEmpty() ? "?" : status;
    }

    static TableDefinition priorityLevels() {
        String[] queuing = {"spec", "limited", "limitResponse", "queuing"};
        return TableBuilder.named()
                .text("Type", "Whether requests are limited.", row -> row.text("spec", "type"))
                .add(
                        column("NominalConcurrencyShares", "Its part of the requests served at once."),
                        row -> numberOrNone(row, "spec", "limited", "nominalConcurrencyShares"))
                .add(
                        column("Queues", "In how many queues requests wait."),
                        row -> numberOrNone(row, in(queuing, "queues")))
                .add(
                        column("HandSize", "Of how many queues a flow may use the shortest."),
                        row -> numberOrNone(row, in(queuing, "handSize")))
                .add(
                        column("QueueLengthLimit", "How many requests may wait in a queue."),
                        row -> numberOrNone(row, in(queuing, "queueLengthLimit")))
                .age()
                .build();
    }

    private static Column column(String name, String description) {
        return new Column(name, "string", "", description, 0);
    }

    private static String[] in(String[] path, String field) {
        String[] longer = Arrays.copyOf(path, path.length + 1);
        longer[path.length] = field;
        return longer;
    }

    private static JsonNode numberOrNone(Row row, String... path) {
        return row.has(path) ? row.at(path) : TextNode.valueOf(Row.NONE);
    }
}
