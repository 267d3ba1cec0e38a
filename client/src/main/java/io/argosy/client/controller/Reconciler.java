package io.argosy.client.controller;

import io.argosy.api.NamespacedName;
import java.time.Duration;

/**
 * Brings the world one step nearer to what one object says.
 *
 * <p>Level-based: it is told only which object to look at, never what happened, and must work from the state it finds. It may be
 * called at any time, again and again, also after a restart; when what is equals what should be, it does nothing.
 */
@FunctionalInterface
public interface Reconciler {
    /** An exception means: again, after a growing delay. */
    Result reconcile(NamespacedName key) throws Exception;

    /**
     * What to do with the key next; a negative duration means nothing until an event comes.
     *
     * @param watching whether the next look is only to see that somebody else's upkeep of the object goes on
     */
    record Result(Duration requeueAfter, boolean watching) {
        private static final Result DONE = new Result(Duration.ofNanos(-1), false);

        /** Nothing more until an event comes. */
        public static Result done() {
            return DONE;
        }

        /** Look again after so long, event or not. */
        public static Result after(Duration delay) {
            return new Result(delay, false);
        }

        /** As {@link #after}, to see that somebody else's upkeep of the object goes on. */
        public static Result watching(Duration delay) {
            return new Result(delay, true);
        }
    }
}
