package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Everything that this process tells of itself on its metrics page. */
public final class Metrics {
    private final List<MetricSource> sources = new CopyOnWriteArrayList<>();

    /** Adds what a part of the process has to tell. */
    public void add(MetricSource source) {
        sources.add(source);
    }

    /** What was added is not told any more. */
    public void remove(MetricSource source) {
        sources.remove(source);
    }

    public byte[] page(boolean openMetrics) {
        return page(openMetrics, sources);
    }

    /** A page of its own for what these tell. */
    public static byte[] page(boolean openMetrics, List<? extends MetricSource> of) {
        Exposition page = new Exposition(openMetrics);
        of.forEach(source -> source.writeTo(page));
        return page.bytes();
    }
}
