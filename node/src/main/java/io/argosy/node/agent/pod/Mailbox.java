package io.argosy.node.agent.pod;

import io.argosy.api.time.Clock;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Messages for one listener, who hears all that have arrived and then acts once; the clock is held until that is done. */
final class Mailbox {
    private final LinkedBlockingQueue<Runnable> messages = new LinkedBlockingQueue<>();
    private final Clock clock;
    private volatile boolean closed;

    Mailbox(Clock clock) {
        this.clock = clock;
    }

    void post(Runnable message) {
        clock.hold();
        messages.add(message);
        if (closed) {
            forget();
        }
    }

    /** Listens until done; what a message or the act throws is told, and the listening goes on. */
    void listen(BooleanSupplier done, Runnable act, Consumer<RuntimeException> failed) throws InterruptedException {
        try {
            while (!done.getAsBoolean()) {
                hear(messages.take(), done, act, failed);
            }
        } finally {
            closed = true;
            forget();
        }
    }

    private void hear(Runnable first, BooleanSupplier done, Runnable act, Consumer<RuntimeException> failed) {
        int heard = 0;
        try {
            for (Runnable message = first; message != null; message = messages.poll()) {
                heard++;
                message.run();
            }
            if (!done.getAsBoolean()) {
                act.run();
            }
        } catch (RuntimeException e) {
            failed.accept(e);
        } finally {
            for (int i = 0; i < heard; i++) {
                clock.release();
            }
        }
    }

    /** Nobody listens any more, so nobody need wait for it. */
    private void forget() {
        while (messages.poll() != null) {
            clock.release();
        }
    }
}
