package io.argosy.server.metrics;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.Histogram;
import io.argosy.api.metrics.MetricSource;
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
import java.util.function.Supplier;

/** A store whose requests are timed, under the names that those who watch etcd behind an API server know. */
public final class MeasuredStore implements Store, MetricSource {
    private static final double[] SECONDS = {
        0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
    };

    private final Store store;
    private final Map<String, Operation> operations = new ConcurrentHashMap<>();

    private static final class Operation {
        private final Histogram duration = new Histogram(SECONDS);
        private final LongAdder errors = new LongAdder();
    }

    public MeasuredStore(Store store) {
        this.store = store;
    }

    private <T> T timed(String operation, Supplier<T> work) {
        Operation measured = of(operation);
        long begin = System.nanoTime();
        try {
            return work.get();
        } catch (RuntimeException failure) {
            measured.errors.increment();
            throw failure;
        } finally {
            measured.duration.observe(System.nanoTime() - begin);
        }
    }

    private Operation of(String operation) {
        return operations.computeIfAbsent(operation, first -> new Operation());
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
        return timed("get", () -> store.get(key));
    }

    @Override
    public Page list(String prefix, ListOptions options) {
        return timed("list", () -> store.list(prefix, options));
    }

    @Override
    public Result put(String key, byte[] value, long expected) {
        return timed(write(expected), () -> store.put(key, value, expected));
    }

    @Override
    public Result delete(String key, long expected) {
        return timed("delete", () -> store.delete(key, expected));
    }

    @Override
    public CompletableFuture<Result> putAsync(String key, byte[] value, long expected) {
        return later(write(expected), store.putAsync(key, value, expected));
    }

    @Override
    public Result putFor(Duration life, String key, byte[] value, long expected) {
        return timed(write(expected), () -> store.putFor(life, key, value, expected));
    }

    @Override
    public CompletableFuture<Result> deleteAsync(String key, long expected) {
        return later("delete", store.deleteAsync(key, expected));
    }

    private CompletableFuture<Result> later(String operation, CompletableFuture<Result> future) {
        Operation measured = of(operation);
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
        operations.forEach((name, measured) -> page.sample(measured.duration, "operation", name));
        page.counter("etcd_requests_total", "Etcd request counts for each operation and object type.");
        operations.forEach((name, measured) -> page.sample(measured.duration.count(), "operation", name));
        page.counter("etcd_request_errors_total", "Etcd failed request counts for each operation and object type.");
        operations.forEach((name, measured) -> page.sample(measured.errors.sum(), "operation", name));
    }
}
