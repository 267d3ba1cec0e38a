package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What became of each check of health, page by page: what service level indicators are made of. */
public final class HealthcheckMetrics implements MetricSource {
    private final Map<Check, Outcomes> outcomes = new ConcurrentHashMap<>();

    private record Check(String name, String type) {}

    private static final class Outcomes {
        private final LongAdder successes = new LongAdder();
        private final LongAdder errors = new LongAdder();
        private volatile boolean good;
    }

    /** Somebody looked at a page, and this is what a check of it said. */
    public void observe(String name, String page, boolean good) {
        Outcomes of = outcomes.computeIfAbsent(new Check(name, page), first -> new Outcomes());
        of.good = good;
        (good ? of.successes : of.errors).increment();
    }

    @Override
    public void writeTo(Exposition page) {
        page.gauge("kubernetes_healthcheck", "This metric records the result of a single healthcheck.");
        outcomes.forEach((check, of) -> page.sample(of.good ? 1 : 0, "name", check.name(), "type", check.type()));
        page.counter("kubernetes_healthchecks_total", "This metric records the results of all healthcheck.");
        outcomes.forEach((check, of) -> {
            count(page, check, "error", of.errors);
            count(page, check, "success", of.successes);
        });
        ProcessMetrics.started(page);
    }

    private static void count(Exposition page, Check check, String status, LongAdder seen) {
        if (seen.sum() > 0) {
            page.sample(seen.sum(), "name", check.name(), "status", status, "type", check.type());
        }
    }
}
