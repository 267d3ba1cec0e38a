package io.argosy.server.metrics;

import io.argosy.api.GroupResource;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.Histogram;
import io.argosy.api.metrics.MetricSource;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.Layer;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store whose requests are timed, under the names that those who watch etcd behind an API server know. */
public final class MeasuredStore implements Store, MetricSource {
    private static final double[] SECONDS = {
        0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
    };

    private final Store store;
    private final Function<String, GroupResource> resources;
    private final Map<GroupResource, Map<String, Measured>> operations = new ConcurrentHashMap<>();

    private static final class Measured {
        private final Histogram duration = new Histogram(SECONDS);
        private final LongAdder errors = new LongAdder();
    }

    /** With what a key is a key of. */
    public MeasuredStore(Store store, Function<String, GroupResource> resources) {
        this.store = store;
        this.resources = resources;
    }

    private <T> T timed(String operation, String key, Supplier<T> work) {
        Measured measured = of(operation, key);
        long begin = System.nanoTime();
        try {
            return work.get();
        } catch (RuntimeException failure) {
            measured.errors.increment();
            throw failure;
        } finally {
            long taken = System.nanoTime() - begin;
            measured.duration.observe(taken);
            Audit.spent(Layer.ETCD, taken);
        }
    }

    private Measured of(String operation, String key) {
        return operations
                .computeIfAbsent(resources.apply(key), first -> new ConcurrentHashMap<>())
                .computeIfAbsent(operation, first -> new Measured());
    }

    private static String write(long expected) {
        return expected == ABSENT ? "create" : "update";
    }

    @Override
    public boolean shared() {
        return store.shared();
    }

    @Override
    public long written() {
        return store.written();
    }

    @Override
    public long revision() {
        return store.revision();
    }

    @Override
    public long compactedRevision() {
        return store.compactedRevision();
    }

    @Override
    public Optional<Entry> get(String key) {
        return timed("get", key, () -> store.get(key));
    }

    @Override
    public Page list(String prefix, ListOptions options) {
        return timed("list", prefix, () -> store.list(prefix, options));
    }

    @Override
    public Result put(String key, byte[] value, long expected) {
        return timed(write(expected), key, () -> store.put(key, value, expected));
    }

    @Override
    public Result delete(String key, long expected) {
        return timed("delete", key, () -> store.delete(key, expected));
    }

    @Override
    public CompletableFuture<Result> putAsync(String key, byte[] value, long expected) {
        return later(write(expected), key, store.putAsync(key, value, expected));
    }

    @Override
    public Result putFor(Duration life, String key, byte[] value, long expected) {
        return timed(write(expected), key, () -> store.putFor(life, key, value, expected));
    }

    @Override
    public CompletableFuture<Result> deleteAsync(String key, long expected) {
        return later("delete", key, store.deleteAsync(key, expected));
    }

    private CompletableFuture<Result> later(String operation, String key, CompletableFuture<Result> future) {
        Measured measured = of(operation, key);
        long begin = System.nanoTime();
        return future.whenComplete((result, failure) -> {
            measured.duration.observe(System.nanoTime() - begin);
            if (failure != null) {
                measured.errors.increment();
            }
        });
    }

    @Override
    public Watch watch(String prefix, long afterRevision, WatchListener listener) {
        return store.watch(prefix, afterRevision, listener);
    }

    @Override
    public void compact(long revision) {
        store.compact(revision);
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public void writeTo(Exposition page) {
        page.histogram(
                "etcd_request_duration_seconds", "Etcd request latency in seconds for each operation and object type.");
        each((measured, labels) -> page.sample(measured.duration, labels));
        page.counter("etcd_requests_total", "Etcd request counts for each operation and object type.");
        each((measured, labels) -> page.sample(measured.duration.count(), labels));
        page.counter("etcd_request_errors_total", "Etcd failed request counts for each operation and object type.");
        each((measured, labels) -> page.sample(measured.errors.sum(), labels));
    }

    private void each(BiConsumer<Measured, String[]> found) {
        operations.forEach((of, all) -> all.forEach((operation, measured) -> found.accept(
                measured, new String[] {"group", of.group(), "operation", operation, "resource", of.resource()})));
    }
}
