package io.argosy.server.rest;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * A step of the start that is done beside the first answers, or after them, because they do not need it. So that it was not done yet is no
 * fault; that it failed is one, or that it should have been done long ago.
 */
final class StartHook implements Runnable {
    /** Far longer than any start. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Runnable work;
    private final Clock clock;
    private final Instant due;
    private volatile String fault = "not finished";
    private volatile boolean ended;

    StartHook(Runnable work, Clock clock) {
        this.work = work;
        this.clock = clock;
        this.due = clock.now().plus(PATIENCE);
    }

    @Override
    public void run() {
        try {
            work.run();
            fault = "";
        } catch (RuntimeException failed) {
            fault = "failed: " + failed.getMessage();
            throw failed;
        } finally {
            ended = true;
        }
    }

    /** What is wrong with it; empty if nothing is. */
    String fault() {
        return ended || clock.now().isAfter(due) ? fault : "";
    }
}
