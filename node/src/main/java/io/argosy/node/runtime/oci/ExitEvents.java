package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.ContainerEvent;
import io.argosy.node.runtime.ContainerRuntime.Subscription;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands exits to whoever listens, on one thread and in order, so that a slow listener does not hold up the watching. */
final class ExitEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExitEvents.class);

    private final BlockingQueue<Runnable> deliveries = new LinkedBlockingQueue<>();
    private final List<Consumer<ContainerEvent>> listeners = new CopyOnWriteArrayList<>();
    private final Thread thread = Thread.ofVirtual().name("argosy-exit-events").start(this::run);

    /** The listener first hears what has happened already, then what happens. */
    Subscription subscribe(Consumer<ContainerEvent> listener, Supplier<List<ContainerEvent>> former) {
        deliveries.add(() -> {
            listeners.add(listener);
            former.get().forEach(event -> deliver(listener, event));
        });
        return () -> deliveries.add(() -> listeners.remove(listener));
    }

    void publish(ContainerEvent event) {
        deliveries.add(() -> listeners.forEach(listener -> deliver(listener, event)));
    }

    private static void deliver(Consumer<ContainerEvent> listener, ContainerEvent event) {
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.error("a listener failed on the exit of {}", event.containerId(), e);
        }
    }

    private void run() {
        try {
            while (true) {
                deliveries.take().run();
            }
        } catch (InterruptedException _) {
            LOG.debug("no more exits are told");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
