package io.argosy.bench;

import io.argosy.bench.process.KubernetesFiles;
import java.util.List;

/** One benchmark program: work that is done on a cluster of its own, and the figures that came of it. */
public interface Benchmark {
    /** The word by which it is asked for. */
    String name();

    /** What it measures, in one line. */
    String what();

    /** Whether it measures these programs too, given them. */
    default boolean comparesWith(KubernetesFiles programs) {
        return false;
    }

    /** Does the work; whatever it started is ended and whatever it wrote is removed when this returns. */
    List<Row> run(Context context) throws Exception;
}
