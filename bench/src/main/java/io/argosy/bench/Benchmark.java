package io.argosy.bench;

import java.util.List;

/** One benchmark program: work that is done on a cluster of its own, and the figures that came of it. */
public interface Benchmark {
    /** The word by which it is asked for. */
    String name();

    /** What it measures, in one line. */
    String what();

    /** Does the work; whatever it started is ended and whatever it wrote is removed when this returns. */
    List<Row> run(Context context) throws Exception;
}
