package io.argosy.controllers.pod;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does many like things in parallel batches of 1, 2, 4 ...: if one fails then mostly all do, and one failure is enough. */
public final class SlowStart {
    private SlowStart() {}

    /** Stops after the first batch in which anything failed, and throws that failure. */
    public static void run(List<? extends Callable<?>> actions) throws Exception {
        int done = 0;
        for (int batch = 1; done < actions.size(); batch *= 2) {
            int next = Math.min(actions.size(), done + batch);
            all(actions.subList(done, next));
            done = next;
        }
    }

    /** Runs all of them at once, waits for all, and throws the first failure. */
    public static void all(List<? extends Callable<?>> actions) throws Exception {
        if (actions.size() <= 1) {
            for (Callable<?> action : actions) {
                action.call();
            }
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
