package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Tables of custom resources: the name, and the columns that the definition asks for. */
public final class CustomTables {
    private static final Column NAME = new Column(
            "Name", "string", "name", "What the object is called; unique among its kind in its namespace.", 0);

    private CustomTables() {}

    /**
     * A column of a definition.
     *
     * @param value what is found in an object; null where there is nothing
     */
    public record CustomColumn(Column head, Function<JsonNode, JsonNode> value) {}

    public static TableDefinition of(List<CustomColumn> columns) {
        List<Column> heads = new ArrayList<>();
        heads.add(NAME);
        columns.forEach(column -> heads.add(column.head()));
        List<CustomColumn> cells = List.copyOf(columns);
        return new TableDefinition(heads, new TableDefinition.RowCells() {
            @Override
            public List<JsonNode> of(ObjectNode object, Instant now) {
                List<JsonNode> row = new ArrayList<>();
                row.add(TextNode.valueOf(object.path("metadata").path("name").asText()));
                for (CustomColumn cell : cells) {
                    row.add(cell(cell.head().type(), cell.value().apply(object), now));
                }
                return row;
            }

            @Override
            public Optional<TableDefinition.Completion> completion(ObjectNode object) {
                return Optional.empty();
            }
        });
    }

    private static JsonNode cell(String type, JsonNode value, Instant now) {
        if (value == null || value.isNull()) {
            return NullNode.getInstance();
        }
        return switch (type) {
            case "integer" -> value.isNumber() ? LongNode.valueOf(value.asLong()) : NullNode.getInstance();
            case "number" -> value.isNumber() ? value : NullNode.getInstance();
            case "boolean" -> value.isBoolean() ? value : NullNode.getInstance();
            case "date" -> value.isTextual() ? TextNode.valueOf(since(value.asText(), now)) : NullNode.getInstance();
            default -> TextNode.valueOf(value.isTextual() ? value.asText() : value.toString());
        };
    }

    private static String since(String time, Instant now) {
        try {
            return HumanDuration.of(Duration.between(OffsetDateTime.parse(time).toInstant(), now));
        } catch (DateTimeException wrong) {
            return "<invalid>";
        }
    }
}
