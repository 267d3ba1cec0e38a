package io.argosy.server.table;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.argosy.server.table.TableDefinition.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** Puts a table together column by column, each with what stands in it, so that heads and cells cannot part. */
final class TableBuilder<R extends Row> {
    private static final String STRING = "string";
    private static final String INTEGER = "integer";
    private static final String BOOLEAN = "boolean";

    private final Row.Maker<R> maker;
    private final List<Column> columns = new ArrayList<>();
    private final List<Cell<R>> cells = new ArrayList<>();

    private TableBuilder(Row.Maker<R> maker) {
        this.maker = maker;
    }

    /** A table that begins with the object's name. */
    static TableBuilder<Row> named() {
        return rows(Row::new).name(Row::name);
    }

    /** A table whose cells come from a row that knows more of its kind. */
    static <R extends Row> TableBuilder<R> rows(Row.Maker<R> maker) {
        return new TableBuilder<>(maker);
    }

    TableBuilder<R> name(Function<R, String> value) {
        return name(0, value);
    }

    TableBuilder<R> wideName() {
        return name(1, Row::name);
    }

    private TableBuilder<R> name(int priority, Function<R, String> value) {
        return add(
                new Column(
                        "Name",
                        STRING,
                        "name",
                        "What the object is called; unique among its kind in its namespace.",
                        priority),
                text(value));
    }

    TableBuilder<R> age() {
        return text("Age", "How long ago the object was created.", Row::age);
    }

    TableBuilder<R> text(String name, String description, Function<R, String> value) {
        return add(new Column(name, STRING, "", description, 0), text(value));
    }

    TableBuilder<R> wide(String name, String description, Function<R, String> value) {
        return add(new Column(name, STRING, "", description, 1), text(value));
    }

    /** A number in a column of numbers. */
    TableBuilder<R> number(String name, String description, ToLongFunction<R> value) {
        return add(new Column(name, INTEGER, "", description, 0), number(value));
    }

    /** A boolean in a column of booleans. */
    TableBuilder<R> flag(String name, String description, Predicate<R> value) {
        return add(new Column(name, BOOLEAN, "", description, 0), flag(value));
    }

    /** Any cell in any column, for the few whose type and value differ in the tables that people know. */
    TableBuilder<R> add(Column column, Cell<R> cell) {
        columns.add(column);
        cells.add(cell);
        return this;
    }

    TableDefinition build() {
        return new TableDefinition(columns, new TableDefinition.FromRow<>(maker, List.copyOf(cells)));
    }

    static <R> Cell<R> text(Function<R, String> value) {
        return row -> TextNode.valueOf(value.apply(row));
    }

    static <R> Cell<R> number(ToLongFunction<R> value) {
        return row -> LongNode.valueOf(value.applyAsLong(row));
    }

    static <R> Cell<R> flag(Predicate<R> value) {
        return row -> BooleanNode.valueOf(value.test(row));
    }
}
