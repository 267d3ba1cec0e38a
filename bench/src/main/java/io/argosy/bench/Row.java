package io.argosy.bench;

/**
 * A line of the table.
 *
 * @param work what was done
 * @param figure what was measured, or why it was not
 * @param goal what the project wants to reach; empty where it has set itself none
 */
public record Row(String work, String figure, String goal) {
    static Row of(String work, String figure) {
        return new Row(work, figure, "");
    }

    static Row skipped(String work, String why) {
        return new Row(work, "not measured: " + why, "");
    }
}
