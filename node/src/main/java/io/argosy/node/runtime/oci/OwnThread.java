package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Runs a piece of work on a platform thread of its own, which then ends: for calls that block in the kernel, and for
 * those that change the thread itself, such as stepping into a namespace.
 */
final class OwnThread {
    private OwnThread() {}

    static <T> T run(Callable<T> work) throws IOException {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().name("argosy-own").daemon().start(() -> {
            try {
                result.complete(work.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        try {
            // Not to be interrupted: whoever undoes this work must not begin while it is still going on.
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }
}
