package io.argosy.node.agent.work;

import io.argosy.api.time.Clock;
import java.util.concurrent.CompletableFuture;

/**
 * Work on threads of their own that holds the clock until it is done, so that whoever turns a clock by hand knows when the agent has done
 * all that the present moment asks of it.
 */
public final class Work {
    private Work() {}

    /** Begins the task on a virtual thread; the clock is held from now on, not only from when the thread runs. */
    public static void begin(Clock clock, String name, Runnable task) {
        clock.hold();
        Thread.ofVirtual().name(name).start(() -> {
            try {
                task.run();
            } finally {
                clock.release();
            }
        });
    }

    /**
     * Waits for what others do: that is no work, so the caller's hold is given back meanwhile. Whoever completes the future takes it again
     * for the caller, so that there is no moment between the two at which nobody holds.
     */
    public static <T> T await(Clock clock, CompletableFuture<T> done) {
        CompletableFuture<T> held = done.whenComplete((value, failure) -> clock.hold());
        clock.release();
        return held.join();
    }
}
