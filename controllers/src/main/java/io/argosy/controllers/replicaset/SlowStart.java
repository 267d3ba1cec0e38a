package io.argosy.controllers.replicaset;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Does the same thing many times, in parallel batches of 1, 2, 4 ...: when it fails at all it mostly fails every time, and then one
 * failure is enough.
 */
final class SlowStart {
    private SlowStart() {}

    /** Stops after the first batch in which anything failed, and throws that failure. */
    static void run(int count, Callable<?> action) throws Exception {
        int left = count;
        for (int batch = Math.min(1, left); batch > 0; batch = Math.min(2 * batch, left)) {
            List<Callable<?>> actions = new ArrayList<>(batch);
            for (int i = 0; i < batch; i++) {
                actions.add(action);
            }
            all(actions);
            left -= batch;
        }
    }

    /** Runs all of them at once, waits for all, and throws the first failure. */
    static void all(List<? extends Callable<?>> actions) throws Exception {
        if (actions.size() == 1) {
            actions.getFirst().call();
            return;
        }
        Exception failure = null;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> futures = new ArrayList<>(actions.size());
            for (Callable<?> action : actions) {
                futures.add(threads.submit(action));
            }
            for (Future<?> future : futures) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    if (failure == null) {
                        failure = e.getCause() instanceof Exception cause ? cause : e;
                    }
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
