package io.argosy.scheduler;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.Histogram;
import io.argosy.api.metrics.MetricSource;
import io.argosy.scheduler.queue.SchedulingQueue.Lengths;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What a metrics page shows of the scheduler; told by its one thread, read by any. */
final class SchedulerMetrics implements MetricSource {
    private static final double[] SECONDS = Histogram.exponential(0.001, 2, 15);

    private final Map<String, Map<Outcome, Histogram>> attempts = new ConcurrentHashMap<>();
    private volatile Lengths pending = Lengths.NONE;

    /** How one attempt to find a node ended. */
    enum Outcome {
        SCHEDULED,
        UNSCHEDULABLE,
        ERROR;

        private String shown() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    SchedulerMetrics(Iterable<String> profiles) {
        for (String profile : profiles) {
            Map<Outcome, Histogram> outcomes = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(outcome, new Histogram(SECONDS));
            }
            attempts.put(profile, outcomes);
        }
    }

    void attempted(String profile, Outcome outcome, long nanos) {
        attempts.get(profile).get(outcome).observe(nanos);
    }

    void pending(Lengths lengths) {
        pending = lengths;
    }

    @Override
    public void writeTo(Exposition page) {
        Lengths now = pending;
        page.gauge("scheduler_pending_pods", "Number of pending pods, by the queue type.")
                .sample(now.active(), "queue", "active")
                .sample(now.backedOff(), "queue", "backoff")
                .sample(now.unschedulable(), "queue", "unschedulable");
        Map<String, Map<Outcome, Histogram>> all = new HashMap<>(attempts);
        page.counter("scheduler_schedule_attempts_total", "Number of attempts to schedule pods, by the result.");
        all.forEach((profile, outcomes) -> outcomes.forEach(
                (outcome, taken) -> page.sample(taken.count(), "profile", profile, "result", outcome.shown())));
        page.histogram(
                "scheduler_scheduling_attempt_duration_seconds",
                "Scheduling attempt latency in seconds (scheduling algorithm)");
        all.forEach((profile, outcomes) -> outcomes.forEach(
                (outcome, taken) -> page.sample(taken, "profile", profile, "result", outcome.shown())));
    }
}
