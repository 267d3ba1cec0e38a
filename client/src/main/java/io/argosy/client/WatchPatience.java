package io.argosy.client;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * How long whoever watches waits before the next attempt: at once after a watch that lasted, and after the first that did not; else
 * twice as long each time, so that nobody spins. Used by one thread.
 */
public final class WatchPatience {
    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LAST = Duration.ofSeconds(30);
    /** A watch that ends sooner was hardly open at all. */
    private static final Duration LASTING = Duration.ofMillis(100);

    private final Clock clock;
    private Duration delay = FIRST;
    /** How many watches in a row ended as soon as they had begun, without a word. */
    private int vain;

    /** Patience that has not been tried yet. */
    public WatchPatience(Clock clock) {
        this.clock = clock;
    }

    /** Something was heard: the server is well. */
    public void heard() {
        vain = 0;
        delay = FIRST;
    }

    /** A watch that began then has ended in the ordinary way; waits if the next would most likely do the same. */
    public void ended(Instant began) throws InterruptedException {
        if (clock.now().isBefore(began.plus(LASTING))) {
            vain++;
        } else {
            heard();
        }
        if (vain > 1) {
            backOff();
        }
    }

    /** Waits, and longer the next time. */
    public void backOff() throws InterruptedException {
        clock.sleep(delay);
        Duration doubled = delay.multipliedBy(2);
        delay = doubled.compareTo(LAST) > 0 ? LAST : doubled;
    }

    /** How long the next wait is. */
    public Duration delay() {
        return delay;
    }
}
