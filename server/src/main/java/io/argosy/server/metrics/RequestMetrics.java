package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.Histogram;
import io.argosy.api.metrics.MetricSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by what they were about and how they went. What clients make up never becomes a label, so that this stays small. */
public final class RequestMetrics implements MetricSource {
    private static final double[] SECONDS = {
        0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
    };

    private final Map<Subject, Series> series = new ConcurrentHashMap<>();
    private final Map<Watched, LongAdder> watchEvents = new ConcurrentHashMap<>();
    private final Set<Outdated> deprecated = ConcurrentHashMap.newKeySet();
    private final LongAdder reading = new LongAdder();
    private final LongAdder mutating = new LongAdder();

    /**
     * What requests have in common that are counted together.
     *
     * @param verb as the metrics have it: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, DELETECOLLECTION or CONNECT
     * @param resource empty for a path that is no resource, or none of ours; so are group and version
     * @param subresource of a resource, or the path of a page that is none
     */
    public record Subject(
            String verb,
            String group,
            String version,
            String resource,
            String subresource,
            String scope,
            boolean dryRun) {
        private String[] labels() {
            return labels("", 0);
        }

        private String[] labels(int code) {
            return labels(Integer.toString(code), 2);
        }

        private String[] labels(String code, int codes) {
            String[] labels = {
                "code", code,
                "component", "apiserver",
                "dry_run", dryRun ? "All" : "",
                "group", group,
                "resource", resource,
                "scope", scope,
                "subresource", subresource,
                "verb", verb,
                "version", version
            };
            return Arrays.copyOfRange(labels, 2 - codes, labels.length);
        }

        private boolean isMutating() {
            return switch (verb) {
                case "GET", "LIST", "WATCH", "CONNECT" -> false;
                default -> true;
            };
        }
    }

    private record Outdated(String group, String version, String resource, String subresource, String removedIn) {}

    private record Watched(String group, String version, String resource) {}

    private static final class Series {
        private final Histogram duration = new Histogram(SECONDS);
        private final Map<Integer, LongAdder> codes = new ConcurrentHashMap<>();
        private final LongAdder longRunning = new LongAdder();
    }

    /** A request is being answered; those that run long are counted apart. */
    public void begun(Subject subject, boolean longRunning) {
        if (longRunning) {
            of(subject).longRunning.increment();
        } else {
            (subject.isMutating() ? mutating : reading).increment();
        }
    }

    public void ended(Subject subject, boolean longRunning, int code, long nanos) {
        Series counted = of(subject);
        LongAdder codes = counted.codes.get(code);
        if (codes == null) {
            codes = counted.codes.computeIfAbsent(code, first -> new LongAdder());
        }
        codes.increment();
        counted.duration.observe(nanos);
        if (longRunning) {
            counted.longRunning.decrement();
        } else {
            (subject.isMutating() ? mutating : reading).decrement();
        }
    }

    /** Somebody uses what will be gone in that release, or is gone elsewhere; empty where nobody knows when. */
    public void deprecated(Subject subject, String removedIn) {
        deprecated.add(
                new Outdated(subject.group(), subject.version(), subject.resource(), subject.subresource(), removedIn));
    }

    /** Counts the events of watches of such requests. */
    public LongAdder watchEvents(Subject subject) {
        Watched watched = new Watched(subject.group(), subject.version(), subject.resource());
        return watchEvents.computeIfAbsent(watched, first -> new LongAdder());
    }

    private Series of(Subject subject) {
        Series found = series.get(subject);
        return found == null ? series.computeIfAbsent(subject, first -> new Series()) : found;
    }

    @Override
    public void writeTo(Exposition page) {
        page.counter(
                "apiserver_request_total",
                "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope,"
                        + " component, and HTTP response code.");
        series.forEach((subject, counted) ->
                counted.codes.forEach((code, count) -> page.sample(count.sum(), subject.labels(code))));
        page.gauge(
                "apiserver_requested_deprecated_apis",
                "Gauge of deprecated APIs that have been requested, broken out by API group, version, resource,"
                        + " subresource, and removed_release.");
        deprecated.forEach(used -> page.sample(
                1,
                "group",
                used.group,
                "removed_release",
                used.removedIn,
                "resource",
                used.resource,
                "subresource",
                used.subresource,
                "version",
                used.version));
        page.histogram(
                "apiserver_request_duration_seconds",
                "Response latency distribution in seconds for each verb, dry run value, group, version, resource,"
                        + " subresource, scope and component.");
        series.forEach((subject, counted) -> page.sample(counted.duration, subject.labels()));
        page.gauge(
                        "apiserver_current_inflight_requests",
                        "Requests being answered now, by kind; long-running ones are not among them.")
                .sample(mutating.sum(), "request_kind", "mutating")
                .sample(reading.sum(), "request_kind", "readOnly");
        page.gauge(
                "apiserver_longrunning_requests",
                "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope"
                        + " and component.");
        series.forEach((subject, counted) -> {
            long running = counted.longRunning.sum();
            if (running > 0) {
                page.sample(running, subject.labels());
            }
        });
        page.counter("apiserver_watch_events_total", "Number of events sent in watch clients");
        watchEvents.forEach((watched, count) -> page.sample(
                count.sum(), "group", watched.group, "resource", watched.resource, "version", watched.version));
    }
}
