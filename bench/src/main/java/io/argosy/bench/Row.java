package io.argosy.bench;

/**
 * A line of the table.
 *
 * @param work what was done
 * @param kubernetes what was measured of Kubernetes in the same run; empty where it was not
 * @param figure what was measured, or why it was not
 * @param ratio how the figure stands to that of Kubernetes
 * @param goal what the project wants to reach; empty where it has set itself none
 */
public record Row(String work, String kubernetes, String figure, String ratio, String goal) {
    Row(String work, String figure, String goal) {
        this(work, "", figure, "", goal);
    }

    static Row of(String work, String figure) {
        return new Row(work, figure, "");
    }

    static Row skipped(String work, String why) {
        return new Row(work, "not measured: " + why, "");
    }
}
