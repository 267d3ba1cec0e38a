package io.argosy.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One kind of work that was done on a server, and its figure.
 *
 * @param goal what the project wants to reach; empty where it has set itself none
 */
record Measurement(String work, Figure figure, String goal) {
    static Measurement of(String work, Figure figure) {
        return new Measurement(work, figure, "");
    }

    Row row() {
        return new Row(work, figure.text(), goal);
    }

    /** Ours beside that of the same work on Kubernetes. */
    Row beside(Measurement kubernetes) {
        return new Row(work, kubernetes.figure.text(), figure.text(), figure.against(kubernetes.figure), goal);
    }

    static List<Row> rows(List<Measurement> measured) {
        return measured.stream().map(Measurement::row).toList();
    }

    /** Ours beside those of the same work, in the same order, on Kubernetes. */
    static List<Row> beside(List<Measurement> ours, List<Measurement> kubernetes) {
        return IntStream.range(0, ours.size())
                .mapToObj(i -> ours.get(i).beside(kubernetes.get(i)))
                .toList();
    }
}
