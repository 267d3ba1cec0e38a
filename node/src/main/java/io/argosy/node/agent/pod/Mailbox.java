package io.argosy.node.agent.pod;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Messages for one listener, who hears all that have arrived and then acts once. */
final class Mailbox {
    private final LinkedBlockingQueue<Runnable> messages = new LinkedBlockingQueue<>();

    void post(Runnable message) {
        messages.add(message);
    }

    /** Listens until done; what a message or the act throws is told, and the listening goes on. */
    void listen(BooleanSupplier done, Runnable act, Consumer<RuntimeException> failed) throws InterruptedException {
        while (!done.getAsBoolean()) {
            Runnable first = messages.take();
            try {
                first.run();
                for (Runnable more = messages.poll(); more != null; more = messages.poll()) {
                    more.run();
                }
                if (!done.getAsBoolean()) {
                    act.run();
                }
            } catch (RuntimeException e) {
                failed.accept(e);
            }
        }
    }
}
