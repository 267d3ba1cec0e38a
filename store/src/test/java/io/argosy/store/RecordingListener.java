package io.argosy.store;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** Keeps what a watch tells, and lets a test wait for it. */
public final class RecordingListener implements WatchListener {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Event> events = new ArrayList<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    @Override
    public void onEvents(List<Event> more) {
        lock.lock();
        try {
            events.addAll(more);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onClosed(Throwable cause) {
        if (cause == null) {
            closed.complete(null);
        } else {
            closed.completeExceptionally(cause);
        }
    }

    public List<Event> events() {
        lock.lock();
        try {
            return List.copyOf(events);
        } finally {
            lock.unlock();
        }
    }

    /** Done when the watch has ended by itself, with its cause. */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /** Waits until an event of this revision has come, and returns all so far. */
    public List<Event> awaitRevision(long revision) {
        return await(sofar -> !sofar.isEmpty() && sofar.getLast().revision() >= revision, "revision " + revision);
    }

    public List<Event> awaitCount(int count) {
        return await(sofar -> sofar.size() >= count, count + " events");
    }

    private List<Event> await(Predicate<List<Event>> condition, String what) {
        lock.lock();
        try {
            long nanos = PATIENCE.toNanos();
            while (!condition.test(events)) {
                if (nanos <= 0) {
                    return fail("%s did not come; got %s", what, events);
                }
                nanos = changed.awaitNanos(nanos);
            }
            return List.copyOf(events);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail("interrupted while waiting for " + what);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a future as long as a test should. */
    public static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
