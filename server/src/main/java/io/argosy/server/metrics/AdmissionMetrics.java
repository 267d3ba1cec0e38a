package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.Histogram;
import io.argosy.api.metrics.MetricSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How long writes are held up by those who may change or refuse them, and by each webhook among these. */
public final class AdmissionMetrics implements MetricSource {
    private static final double[] STEP_SECONDS = {0.005, 0.025, 0.1, 0.5, 1, 2.5};
    private static final double[] WEBHOOK_SECONDS = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25};

    private final Map<Passed, Histogram> steps = new ConcurrentHashMap<>();
    private final Map<Passed, Histogram> webhooks = new ConcurrentHashMap<>();
    private final Map<Passed, LongAdder> failedOpen = new ConcurrentHashMap<>();

    private record Passed(String name, String type, String operation, boolean rejected) {}

    /**
     * All that changes objects, or all that judges them, has seen one.
     *
     * @param type admit for those who change objects, validate for the others
     */
    public void passed(String type, String operation, boolean rejected, long nanos) {
        steps.computeIfAbsent(new Passed("", type, operation, rejected), first -> new Histogram(STEP_SECONDS))
                .observe(nanos);
    }

    /** A webhook was asked; the type is admit or validating. */
    public void asked(String webhook, String type, String operation, boolean rejected, long nanos) {
        webhooks.computeIfAbsent(
                        new Passed(webhook, type, operation, rejected), first -> new Histogram(WEBHOOK_SECONDS))
                .observe(nanos);
    }

    /** A webhook could not be asked, and the write went on without it. */
    public void failedOpen(String webhook, String type) {
        failedOpen
                .computeIfAbsent(new Passed(webhook, type, "", false), first -> new LongAdder())
                .increment();
    }

    @Override
    public void writeTo(Exposition page) {
        page.histogram(
                "apiserver_admission_step_admission_duration_seconds",
                "Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step"
                        + " type (validate or admit).");
        steps.forEach((step, time) -> page.sample(
                time, "operation", step.operation, "rejected", Boolean.toString(step.rejected), "type", step.type));
        page.histogram(
                "apiserver_admission_webhook_admission_duration_seconds",
                "Admission webhook latency histogram in seconds, identified by name and broken out for each operation and"
                        + " API resource and type (validate or admit).");
        webhooks.forEach((webhook, time) -> page.sample(
                time,
                "name",
                webhook.name,
                "operation",
                webhook.operation,
                "rejected",
                Boolean.toString(webhook.rejected),
                "type",
                webhook.type));
        page.counter(
                "apiserver_admission_webhook_fail_open_count",
                "Admission webhook fail open count, identified by name and broken out for each admission type (validating"
                        + " or admit).");
        failedOpen.forEach((webhook, count) -> page.sample(count.sum(), "name", webhook.name, "type", webhook.type));
    }
}
