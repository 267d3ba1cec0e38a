package io.argosy.node.agent.pod;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.work.Work;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Lets a pod's deletion cut short what may wait long (a pull), without interrupting a thread in the middle of a runtime call that
 * must not be left half done.
 */
final class Cancellation {
    private final CompletableFuture<Void> asked = new CompletableFuture<>();

    void cancel() {
        asked.complete(null);
    }

    boolean cancelled() {
        return asked.isDone();
    }

    /** Waits for the work or the cancellation, whichever comes first; the abandoned work goes on by itself. */
    <T> T await(Clock clock, CompletableFuture<T> work) {
        try {
            Work.await(clock, CompletableFuture.anyOf(work, asked));
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
        if (!work.isDone()) {
            throw new CancellationException("the pod is going away");
        }
        return work.join();
    }
}
