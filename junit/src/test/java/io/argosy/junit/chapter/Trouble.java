package io.argosy.junit.chapter;

import io.argosy.junit.Cluster;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** What goes wrong while a chapter is played; its end must be the same. */
enum Trouble {
    NONE,
    CONFLICTS,
    FAILED_WRITES,
    LOST_WATCHES,
    RESTARTS,
    ALL;

    private static final int STEPS = 600;

    /** Begins with the chapter. */
    void begin(Cluster cluster) {
        if (this == CONFLICTS || this == ALL) {
            cluster.conflictRate(0.2);
        }
        if (this == FAILED_WRITES || this == ALL) {
            cluster.failureRate(0.2);
        }
    }

    /** Lets a second pass at a time until the condition holds, with something going wrong in the middle of each. */
    void until(Cluster cluster, String what, BooleanSupplier condition) {
        for (int step = 0; step < STEPS; step++) {
            strike(cluster);
            cluster.awaitIdle();
            if (condition.getAsBoolean()) {
                return;
            }
            cluster.advance(Duration.ofSeconds(1));
        }
        cluster.await(what, Duration.ZERO, condition);
    }

    /** Does not wait for anybody to be at rest. */
    void strike(Cluster cluster) {
        if (this == LOST_WATCHES || this == ALL) {
            cluster.dropWatches();
        }
        if (this == RESTARTS || this == ALL) {
            cluster.restartControlPlane();
        }
    }
}
