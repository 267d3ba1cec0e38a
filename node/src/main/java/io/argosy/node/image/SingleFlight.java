package io.argosy.node.image;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Lets callers who want the same thing at the same time share one run of the work. */
final class SingleFlight<K, V> {
    private final ConcurrentHashMap<K, CompletableFuture<V>> running = new ConcurrentHashMap<>();

    V run(K key, Supplier<V> work) {
        while (true) {
            CompletableFuture<V> mine = new CompletableFuture<>();
            CompletableFuture<V> other = running.putIfAbsent(key, mine);
            if (other == null) {
                return lead(key, mine, work);
            }
            try {
                return other.get();
            } catch (InterruptedException e) {
                throw Interrupted.now(e);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof Interrupted)) {
                    throw rethrow(e.getCause());
                }
                // The one who led was called off; that is no reason for us to give up, so take the lead.
            }
        }
    }

    private V lead(K key, CompletableFuture<V> mine, Supplier<V> work) {
        try {
            V value = work.get();
            running.remove(key, mine);
            mine.complete(value);
            return value;
        } catch (RuntimeException | Error e) {
            running.remove(key, mine);
            mine.completeExceptionally(e);
            throw e;
        }
    }

    /** Hands on the failure of another thread's work as our own. */
    static RuntimeException rethrow(Throwable failure) {
        return switch (failure) {
            case ImageException e -> new ImageException(e.kind(), e.getMessage(), e);
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new CompletionException(failure);
        };
    }

    /** The thread was interrupted while it worked for others too. */
    static final class Interrupted extends RuntimeException {
        private Interrupted(Throwable cause) {
            super("interrupted", cause);
        }

        static Interrupted now(Throwable cause) {
            Thread.currentThread().interrupt();
            return new Interrupted(cause);
        }

        /** A stream that waits says so by an ordinary failure: whoever waited was called off, the sender is not to blame. */
        static void check(IOException failure) {
            if (failure.getCause() instanceof InterruptedException
                    || Thread.currentThread().isInterrupted()) {
                throw now(failure);
            }
        }
    }
}
