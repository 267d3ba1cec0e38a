package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** How the objects of a resource are shown as rows: the columns and what stands in each. Immutable. */
public final class TableDefinition {
    private final List<Column> columns;
    private final RowCells rows;

    /**
     * Says that a row is about an object whose work is done; clients may hide such rows.
     *
     * @param reason in one word, {@code Succeeded} or {@code Failed}
     */
    public record Completion(String reason, String message) {}

    /** What a row shows, in the order of the columns. */
    interface RowCells {
        List<JsonNode> of(ObjectNode object, Instant now);

        Optional<Completion> completion(ObjectNode object);
    }

    TableDefinition(List<Column> columns, RowCells rows) {
        this.columns = List.copyOf(columns);
        this.rows = rows;
    }

    /** The same table of objects in another form, each of which is brought into the one that the cells know. */
    public TableDefinition after(UnaryOperator<ObjectNode> form) {
        return new TableDefinition(columns, new RowCells() {
            @Override
            public List<JsonNode> of(ObjectNode object, Instant now) {
                return rows.of(form.apply(object), now);
            }

            @Override
            public Optional<Completion> completion(ObjectNode object) {
                return rows.completion(form.apply(object));
            }
        });
    }

    public List<Column> columns() {
        return columns;
    }

    /** The cells of one object, in the order of the columns; also of one that is still half empty. */
    public List<JsonNode> cells(ObjectNode object, Instant now) {
        return rows.of(object, now);
    }

    /** How the object ended, where that is known of its kind. */
    public Optional<Completion> completion(ObjectNode object) {
        return rows.completion(object);
    }

    /** Cells that each come from a function of the row. */
    record FromRow<R extends Row>(Row.Maker<R> maker, List<Cell<R>> cells) implements RowCells {
        @Override
        public List<JsonNode> of(ObjectNode object, Instant now) {
            R row = maker.row(object, now);
            List<JsonNode> values = new ArrayList<>(cells.size());
            for (Cell<R> cell : cells) {
                values.add(cell.of(row));
            }
            return values;
        }

        @Override
        public Optional<Completion> completion(ObjectNode object) {
            return maker.row(object, Instant.EPOCH).completion();
        }
    }

    /** What one cell shows. */
    interface Cell<R> {
        JsonNode of(R row);
    }
}
