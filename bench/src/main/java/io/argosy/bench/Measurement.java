package io.argosy.bench;

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
}
