package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** Tables of what keeps pods running. */
final class WorkloadTables {
    private static final String[] CONTAINERS = {"spec", "template", "spec", "containers"};

    private WorkloadTables() {}

    static TableDefinition deployments() {
        Column upToDate = new Column("Up-to-date", "string", "", "How many pods are of the wanted template.", 0);
        Column available = new Column("Available", "string", "", "How many pods have been ready for long enough.", 0);
        return containers(TableBuilder.named()
                        .text("Ready", "How many pods are ready, of those wanted.", WorkloadTables::readyOfWanted)
                        .add(upToDate, TableBuilder.number(row -> row.number("status", "updatedReplicas")))
                        .add(available, TableBuilder.number(row -> row.number("status", "availableReplicas")))
                        .age())
                .wide("Selector", "Which pods belong to it.", row -> SelectorText.plain(row.at("spec", "selector")))
                .build();
    }

    static TableDefinition replicaSets() {
        return selector(containers(replicas())).build();
    }

    static TableDefinition replicationControllers() {
        return containers(replicas())
                .wide("Selector", "Which pods belong to it.", row -> SelectorText.labels(row.at("spec", "selector")))
                .build();
    }

    private static TableBuilder<Row> replicas() {
        return TableBuilder.named()
                .number("Desired", "How many pods are wanted.", row -> row.number("spec", "replicas"))
                .number("Current", "How many pods there are.", row -> row.number("status", "replicas"))
                .number("Ready", "How many pods are ready.", row -> row.number("status", "readyReplicas"))
                .age();
    }

    static TableDefinition scale() {
        return TableBuilder.named()
                .number("Desired", "How many pods are wanted.", row -> row.number("spec", "replicas"))
                .number("Available", "How many pods there are.", row -> row.number("status", "replicas"))
                .age()
                .build();
    }

    static TableDefinition statefulSets() {
        return containers(TableBuilder.named()
                        .text("Ready", "How many pods are ready, of those wanted.", WorkloadTables::readyOfWanted)
                        .age())
                .build();
    }

    static TableDefinition daemonSets() {
        TableBuilder<Row> table = TableBuilder.named()
                .number("Desired", "On how many nodes a pod should run.", row -> status(row, "desiredNumberScheduled"))
                .number("Current", "How many of these have one.", row -> status(row, "currentNumberScheduled"))
                .number("Ready", "On how many it is ready.", row -> status(row, "numberReady"))
                .number(
                        "Up-to-date",
                        "On how many it is of the wanted template.",
                        row -> status(row, "updatedNumberScheduled"))
                .number(
                        "Available",
                        "On how many it has been ready for long enough.",
                        row -> status(row, "numberAvailable"))
                .text(
                        "Node Selector",
                        "Which nodes the pods may run on.",
                        row -> SelectorText.labels(row.at("spec", "template", "spec", "nodeSelector")))
                .age();
        return selector(containers(table)).build();
    }

    static TableDefinition controllerRevisions() {
        Column revision = new Column("Revision", "string", "", "The number of the revision.", 0);
        return TableBuilder.named()
                .text("Controller", "Whose state it keeps.", WorkloadTables::controller)
                .add(revision, TableBuilder.number(row -> row.number("revision")))
                .age()
                .build();
    }

    /** The controlling owner as {@code statefulset.apps/web}. */
    private static String controller(Row row) {
        for (JsonNode owner : row.at("metadata", "ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                String version = owner.path("apiVersion").asText();
                int slash = version.indexOf('/');
                String group = slash < 0 ? "" : "." + version.substring(0, slash);
                String kind = (owner.path("kind").asText() + group).toLowerCase(Locale.ROOT);
                return kind + "/" + owner.path("name").asText();
            }
        }
        return Row.NONE;
    }

    private static String readyOfWanted(Row row) {
        return row.number("status", "readyReplicas") + "/" + row.number("spec", "replicas");
    }

    private static long status(Row row, String field) {
        return row.number("status", field);
    }

    private static TableBuilder<Row> containers(TableBuilder<Row> table) {
        return containers(table, CONTAINERS);
    }

    /** The two wide columns about the containers of a template. */
    static TableBuilder<Row> containers(TableBuilder<Row> table, String... path) {
        return table.wide("Containers", "The names of the containers.", row -> Row.join(row.at(path), "name"))
                .wide("Images", "The images of the containers.", row -> Row.join(row.at(path), "image"));
    }

    private static TableBuilder<Row> selector(TableBuilder<Row> table) {
        return table.wide(
                "Selector", "Which pods belong to it.", row -> SelectorText.selector(row.at("spec", "selector")));
    }
}
