package io.argosy.junit.http;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A body that is handed over piece by piece, each when it was asked for; one thread at a time hands over. */
final class DemandedBody implements AsyncBody {
    private final Consumer<List<ByteBuffer>> consumer;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final ArrayDeque<ByteBuffer> pieces = new ArrayDeque<>();
    private long demand;
    private boolean ended;
    private boolean cancelled;
    private boolean handingOver;
    private Throwable failure;
    private Runnable whenCancelled = () -> {};

    DemandedBody(Consumer<List<ByteBuffer>> consumer) {
        this.consumer = consumer;
    }

    void add(ByteBuffer piece) {
        synchronized (this) {
            if (ended || cancelled) {
                return;
            }
            pieces.add(piece);
        }
        handOver();
    }

    void end(Throwable why) {
        synchronized (this) {
            ended = true;
            failure = why;
        }
        handOver();
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    void onCancel(Runnable action) {
        boolean already;
        synchronized (this) {
            whenCancelled = action;
            already = cancelled;
        }
        if (already) {
            action.run();
        }
    }

    @Override
    public void consume() {
        synchronized (this) {
            demand++;
        }
        handOver();
    }

    @Override
    public CompletableFuture<Void> done() {
        return done;
    }

    @Override
    public void cancel() {
        Runnable action;
        synchronized (this) {
            if (cancelled || ended) {
                return;
            }
            cancelled = true;
            pieces.clear();
            action = whenCancelled;
        }
        action.run();
        done.cancel(false);
    }

    private void handOver() {
        while (true) {
            ByteBuffer next;
            synchronized (this) {
                boolean over = pieces.isEmpty() && ended && !done.isDone();
                if (handingOver || !over && (demand == 0 || pieces.isEmpty())) {
                    return;
                }
                next = pieces.poll();
                if (next != null) {
                    demand--;
                }
                handingOver = true;
            }
            try {
                if (next == null) {
                    finish();
                } else {
                    consumer.consume(List.of(next), this);
                }
            } catch (Exception e) {
                done.completeExceptionally(e);
                cancel();
            } finally {
                synchronized (this) {
                    handingOver = false;
                }
            }
        }
    }

    private void finish() {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }
}
