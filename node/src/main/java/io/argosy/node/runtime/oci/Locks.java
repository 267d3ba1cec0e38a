package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** One lock per sandbox, container or pod; a sandbox's is always taken before its containers'. */
final class Locks {
    private final Map<String, ReentrantReadWriteLock> locks = new ConcurrentHashMap<>();

    /** Work with the host, whose failures become those of the runtime. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    <T> T exclusively(String key, Work<T> work) {
        return with(lock(key).writeLock(), work);
    }

    <T> T shared(String key, Work<T> work) {
        return with(lock(key).readLock(), work);
    }

    /** What the key stood for is gone; somebody who waits for its lock will find that out. */
    void forget(String key) {
        locks.remove(key);
    }

    private ReentrantReadWriteLock lock(String key) {
        return locks.computeIfAbsent(key, _ -> new ReentrantReadWriteLock());
    }

    private static <T> T with(Lock lock, Work<T> work) {
        lock.lock();
        try {
            return run(work);
        } finally {
            lock.unlock();
        }
    }

    static <T> T run(Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "interrupted", e);
        }
    }
}
