package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.table.Column;
import io.argosy.server.table.CustomTables;
import io.argosy.server.table.CustomTables.CustomColumn;
import io.argosy.server.table.TableDefinition;
import java.util.ArrayList;
import java.util.List;

/** The table that the printer columns of a definition ask for; the age where they ask for nothing. */
final class PrinterColumns {
    private PrinterColumns() {}

    static TableDefinition table(JsonNode columns) {
        List<CustomColumn> made = new ArrayList<>();
        for (JsonNode column : columns) {
            made.add(column(
                    new Column(
                            column.path("name").asText(),
                            column.path("type").asText(),
                            column.path("format").asText(""),
                            column.path("description").asText(""),
                            column.path("priority").asInt()),
                    column.path("jsonPath").asText()));
        }
        if (made.isEmpty()) {
            made.add(column(
                    new Column("Age", "date", "", "How long ago the object was created.", 0),
                    ".metadata.creationTimestamp"));
        }
        return CustomTables.of(made);
    }

    private static CustomColumn column(Column head, String path) {
        JsonPath found;
        try {
            found = JsonPath.parse(path);
        } catch (IllegalArgumentException malformed) {
            return new CustomColumn(head, object -> null); // shown empty; the other columns are of use all the same
        }
        return new CustomColumn(head, object -> {
            List<JsonNode> values = found.find(object);
            return values.isEmpty() ? null : values.getFirst();
        });
    }
}
