package io.argosy.bench;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows as plain text in columns; those of Kubernetes are there if it was measured. */
final class Table {
    private record Column(String head, Function<Row, String> cell) {
        int width(List<Row> rows) {
            return rows.stream().mapToInt(row -> cell.apply(row).length()).reduce(head.length(), Math::max);
        }
    }

    private static final Column WORK = new Column("work", Row::work);
    private static final Column KUBERNETES = new Column("Kubernetes", Row::kubernetes);
    private static final Column ARGOSY = new Column("Argosy", Row::figure);
    private static final Column RATIO = new Column("ratio", Row::ratio);
    private static final Column GOAL = new Column("goal", Row::goal);

    private Table() {}

    static String print(List<Row> rows) {
        boolean alone = rows.stream().allMatch(row -> row.kubernetes().isEmpty());
        List<Column> columns = alone ? List.of(WORK, ARGOSY, GOAL) : List.of(WORK, KUBERNETES, ARGOSY, RATIO, GOAL);
        int[] widths = columns.stream().mapToInt(column -> column.width(rows)).toArray();
        widths[widths.length - 1] = GOAL.head().length(); // nothing stands behind it
        StringBuilder text = new StringBuilder();
        line(text, widths, columns.stream().map(Column::head).toList());
        line(text, widths, IntStream.of(widths).mapToObj("-"::repeat).toList());
        for (Row row : rows) {
            line(
                    text,
                    widths,
                    columns.stream().map(column -> column.cell().apply(row)).toList());
        }
        return text.toString();
    }

    private static void line(StringBuilder text, int[] widths, List<String> cells) {
        String line = IntStream.range(0, widths.length)
                .mapToObj(i -> pad(cells.get(i), widths[i]))
                .collect(Collectors.joining("  "));
        text.append(line.stripTrailing()).append('\n');
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
