package io.argosy.server.flow;

import java.util.concurrent.atomic.LongAdder;

/** A priority level at work: its seats, who sits on them, and who waits. Everything that changes belongs to {@link Seats} and its lock. */
final class PriorityLevel {
    private final String name;
    private volatile LevelSettings settings;

    /** The seats it has by its share, those of them it never lends, and the most it may have with what it borrows. */
    int nominal;

    int kept;
    int most;

    /** The most seats that one request may take; 0 where that is not for the level to say. */
    volatile int widest;

    /** The seats it has now. */
    int limit;

    int inUse;
    FairQueues queues;

    /** Requests of exempt levels sit nowhere; they are only counted. */
    final LongAdder exemptRunning = new LongAdder();

    PriorityLevel(LevelSettings settings) {
        this.name = settings.name();
        this.settings = settings;
        this.queues = settings.queues() == 0 ? null : new FairQueues(settings.queues(), settings.handSize());
    }

    String name() {
        return name;
    }

    LevelSettings settings() {
        return settings;
    }

    void settings(LevelSettings changed) {
        settings = changed;
    }

    boolean isExempt() {
        return settings.exempt();
    }

    int waiting() {
        return queues == null ? 0 : queues.waiting();
    }

    /** Seats that others could have now. */
    int spare() {
        return limit - Math.max(kept, inUse);
    }
}
