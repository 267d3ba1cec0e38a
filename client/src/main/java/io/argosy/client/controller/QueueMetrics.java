package io.argosy.client.controller;

import io.argosy.api.metrics.Exposition;
import java.time.Duration;
import java.util.Map;

/** What metrics pages show of work queues, under the names that client-go gave them. */
public final class QueueMetrics {
    private static final double NANOS = 1e9;

    private QueueMetrics() {}

    /** Writes about all queues, by their names. */
    public static void write(Exposition page, Map<String, WorkQueue<?>> queues) {
        page.counter("workqueue_adds_total", "Total number of adds handled by workqueue");
        queues.forEach((name, queue) -> page.sample(queue.counts().adds(), "name", name));
        page.gauge("workqueue_depth", "Current depth of workqueue");
        queues.forEach((name, queue) -> page.sample(queue.counts().depth(), "name", name));
        page.counter("workqueue_retries_total", "Total number of retries handled by workqueue");
        queues.forEach((name, queue) -> page.sample(queue.counts().retries(), "name", name));
        page.histogram(
                "workqueue_queue_duration_seconds",
                "How long in seconds an item stays in workqueue before being requested.");
        queues.forEach((name, queue) -> page.sample(queue.times().waited(), "name", name));
        page.histogram(
                "workqueue_work_duration_seconds", "How long in seconds processing an item from workqueue takes.");
        queues.forEach((name, queue) -> page.sample(queue.times().worked(), "name", name));
        page.gauge(
                "workqueue_longest_running_processor_seconds",
                "How many seconds has the longest running processor for workqueue been running.");
        queues.forEach((name, queue) -> page.sample(seconds(queue.times().longest()), "name", name));
        page.gauge(
                "workqueue_unfinished_work_seconds",
                "How many seconds of work has done that is in progress and hasn't been observed by work_duration.");
        queues.forEach((name, queue) -> page.sample(seconds(queue.times().unfinished()), "name", name));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }
}
