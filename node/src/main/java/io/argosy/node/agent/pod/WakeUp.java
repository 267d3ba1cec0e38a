package io.argosy.node.agent.pod;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/** The one moment at which a worker looks again although nothing has happened; only the worker's own thread sets it. */
final class WakeUp {
    private final Clock clock;
    private final Consumer<Runnable> mailbox;
    private Clock.Timer timer;
    private Instant at;

    WakeUp(Clock clock, Consumer<Runnable> mailbox) {
        this.clock = clock;
        this.mailbox = mailbox;
    }

    /** Sets the moment anew; {@link Instant#MAX} is never. */
    void at(Instant next) {
        if (next.equals(at)) {
            return;
        }
        cancel();
        if (!next.equals(Instant.MAX)) {
            at = next;
            timer = clock.schedule(Duration.between(clock.now(), next), () -> mailbox.accept(() -> at = null));
        }
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
        }
        at = null;
    }
}
