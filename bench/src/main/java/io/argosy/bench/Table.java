package io.argosy.bench;

import java.util.List;
import java.util.function.Function;

/** Rows as plain text in columns. */
final class Table {
    private static final Row HEAD = new Row("work", "Argosy", "goal");

    private Table() {}

    static String print(List<Row> rows) {
        int work = width(rows, Row::work);
        int figure = width(rows, Row::figure);
        StringBuilder text = new StringBuilder();
        line(text, HEAD, work, figure);
        line(
                text,
                new Row(
                        "-".repeat(work),
                        "-".repeat(figure),
                        "-".repeat(HEAD.goal().length())),
                work,
                figure);
        rows.forEach(row -> line(text, row, work, figure));
        return text.toString();
    }

    private static int width(List<Row> rows, Function<Row, String> column) {
        int widest = column.apply(HEAD).length();
        for (Row row : rows) {
            widest = Math.max(widest, column.apply(row).length());
        }
        return widest;
    }

    private static void line(StringBuilder text, Row row, int work, int figure) {
        String line = pad(row.work(), work) + "  " + pad(row.figure(), figure) + "  " + row.goal();
        text.append(line.stripTrailing()).append('\n');
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
