package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Tells the proxy and DNS which Services changed. Level-based: events only say where to look, the state is read when it is used,
 * and what changes while a receiver is busy reaches it as one change.
 */
public final class ServiceFeed {
    private static final Logger log = LoggerFactory.getLogger(ServiceFeed.class);
    private static final String UNREADABLE = "ServiceNotWhollyServed";
    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(15);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    /** Takes changed Services, a null entry for one that is gone; the first call brings all there are. */
    @FunctionalInterface
    public interface Receiver {
        /**
         * Says which Services it cannot serve: events tell their users, and they are brought again after a while; the others go on. An
         * exception means: again, with all of these and what came in between, after a growing delay.
         */
        Map<NamespacedName, Trouble> changed(Map<NamespacedName, ServiceEntry> changes) throws Exception;
    }

    /** A receiver that is being told of changes, until it is closed. */
    public interface Following extends AutoCloseable {
        /** Lets the receiver be told once more, though perhaps no Service changed. */
        default void again() {}

        @Override
        void close();
    }

    private final Informers informers;
    private final Informer<Service> services;
    private final Informer<EndpointSlice> slices;
    private final Clock clock;
    private final EventRecorder events;
    private final Map<NamespacedName, String> unread = new ConcurrentHashMap<>();
    private final Map<NamespacedName, Set<NamespacedName>> slicesOf = new ConcurrentHashMap<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    public ServiceFeed(Informers informers, Clock clock, EventRecorder events) {
        this.informers = informers;
        this.services = informers.of(Service.class);
        this.slices = informers.of(EndpointSlice.class);
        this.clock = clock;
        this.events = events;
        services.addHandler(Informer.Handler.onAny(service -> touch(ServiceReader.nameOf(service))));
        slices.addHandler(new Informer.Handler<>() {
            @Override
            public void added(EndpointSlice slice) {
                ServiceReader.serviceOf(slice).ifPresent(service -> {
                    link(service, slice);
                    touch(service);
                });
            }

            @Override
            public void updated(EndpointSlice before, EndpointSlice after) {
                ServiceReader.serviceOf(before)
                        .filter(service ->
                                !service.equals(ServiceReader.serviceOf(after).orElse(null)))
                        .ifPresent(service -> {
                            unlink(service, before);
                            touch(service);
                        });
                added(after);
            }

            @Override
            public void deleted(EndpointSlice slice) {
                ServiceReader.serviceOf(slice).ifPresent(service -> {
                    unlink(service, slice);
                    touch(service);
                });
            }
        });
    }

    /** Begins to tell the receiver, on a thread of its own, once the first lists are there. */
    public Following subscribe(String name, Receiver receiver) {
        Subscription subscription = new Subscription(name, receiver);
        subscriptions.add(subscription);
        subscription.thread.start();
        return subscription;
    }

    private void link(NamespacedName service, EndpointSlice slice) {
        slicesOf.compute(service, (ignored, known) -> {
            Set<NamespacedName> next = known == null ? new HashSet<>() : new HashSet<>(known);
            next.add(ServiceReader.nameOf(slice));
            return next;
        });
    }

    private void unlink(NamespacedName service, EndpointSlice slice) {
        slicesOf.computeIfPresent(service, (ignored, known) -> {
            Set<NamespacedName> next = new HashSet<>(known);
            next.remove(ServiceReader.nameOf(slice));
            return next.isEmpty() ? null : next;
        });
    }

    private void touch(NamespacedName service) {
        subscriptions.forEach(subscription -> subscription.touch(Set.of(service)));
    }

    /** The Service as it is now; null if it is gone or cannot be understood. */
    private ServiceEntry read(NamespacedName name) {
        Service service = services.get(name).orElse(null);
        if (service == null) {
            unread.remove(name);
            return null;
        }
        ServiceReader reader = new ServiceReader();
        ServiceEntry entry = null;
        try {
            List<EndpointGroup> groups = new ArrayList<>();
            slicesOf.getOrDefault(name, Set.of()).stream()
                    .sorted()
                    .forEach(sliceName -> slices.get(sliceName)
                            .filter(slice ->
                                    name.equals(ServiceReader.serviceOf(slice).orElse(null)))
                            .ifPresent(slice -> groups.add(reader.slice(name, slice))));
            entry = new ServiceEntry(reader.service(service), groups);
        } catch (IllegalArgumentException e) {
            reader.leaveOut("the whole Service: " + e.getMessage());
        }
        String left = String.join("; ", reader.leftOut());
        String before = left.isEmpty() ? unread.remove(name) : unread.put(name, left);
        if (!left.isEmpty() && !left.equals(before)) {
            tell(name, new Trouble(UNREADABLE, "left out of the network: " + left), true);
        }
        return entry;
    }

    /** What goes on is counted by the event, and need not fill the log. */
    private void tell(NamespacedName name, Trouble trouble, boolean fresh) {
        log.atLevel(fresh ? Level.WARN : Level.DEBUG)
                .log("Service {}: {}: {}", name, trouble.reason(), trouble.message());
        services.get(name)
                .ifPresent(service ->
                        events.event(service, EventRecorder.Type.Warning, trouble.reason(), trouble.message()));
    }

    private final class Subscription implements Following {
        private final String name;
        private final Receiver receiver;
        private final Thread thread;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition touched = lock.newCondition();
        private Set<NamespacedName> dirty = new HashSet<>();
        private final Map<NamespacedName, Trouble> troubles = new HashMap<>();
        private boolean again;
        private volatile boolean closed;

        Subscription(String name, Receiver receiver) {
            this.name = name;
            this.receiver = receiver;
            this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
        }

        void touch(Set<NamespacedName> names) {
            lock.lock();
            try {
                dirty.addAll(names);
                touched.signal();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void again() {
            lock.lock();
            try {
                again = true;
                touched.signal();
            } finally {
                lock.unlock();
            }
        }

        private void run() {
            try {
                informers.awaitSync();
                slices.list()
                        .forEach(slice -> ServiceReader.serviceOf(slice).ifPresent(service -> link(service, slice)));
                Set<NamespacedName> names = new HashSet<>();
                services.list().forEach(service -> names.add(ServiceReader.nameOf(service)));
                Duration delay = FIRST_DELAY;
                Set<NamespacedName> some = names;
                while (!closed) {
                    if (deliver(some)) {
                        delay = FIRST_DELAY;
                        some = take();
                    } else {
                        clock.sleep(delay);
                        delay = delay.multipliedBy(2).compareTo(LONGEST_DELAY) > 0
                                ? LONGEST_DELAY
                                : delay.multipliedBy(2);
                        some = joined(some);
                    }
                }
            } catch (InterruptedException e) {
                log.debug("{} was told to stop", name);
            }
        }

        private boolean deliver(Set<NamespacedName> names) throws InterruptedException {
            Map<NamespacedName, ServiceEntry> changes = new HashMap<>();
            names.forEach(each -> changes.put(each, read(each)));
            try {
                Map<NamespacedName, Trouble> now = receiver.changed(changes);
                if (!now.isEmpty()) {
                    clock.schedule(LONGEST_DELAY, () -> touch(now.keySet()));
                }
                now.forEach((service, trouble) -> tell(service, trouble, !trouble.equals(troubles.get(service))));
                troubles.keySet().removeAll(names);
                troubles.putAll(now);
                return true;
            } catch (InterruptedException e) {
                throw e;
            } catch (IOException e) {
                log.warn(
                        "{} could not take a change of {} Services, trying again: {}",
                        name,
                        names.size(),
                        e.getMessage());
                return false;
            } catch (Exception e) {
                log.warn("{} could not take a change of {} Services, trying again", name, names.size(), e);
                return false;
            }
        }

        /** Waits for the next changes and takes all there are. */
        private Set<NamespacedName> take() throws InterruptedException {
            lock.lock();
            try {
                while (dirty.isEmpty() && !again) {
                    touched.await();
                }
                again = false;
                Set<NamespacedName> all = dirty;
                dirty = new HashSet<>();
                return all;
            } finally {
                lock.unlock();
            }
        }

        private Set<NamespacedName> joined(Set<NamespacedName> names) {
            lock.lock();
            try {
                dirty.addAll(names);
                Set<NamespacedName> all = dirty;
                dirty = new HashSet<>();
                return all;
            } finally {
                lock.unlock();
            }
        }

        /** Ends after the delivery under way; a delivery that waits for something is interrupted. */
        @Override
        public void close() {
            closed = true;
            subscriptions.remove(this);
            thread.interrupt();
            try {
                if (!thread.join(STOP_LIMIT)) {
                    log.warn("{} did not stop within {}", name, STOP_LIMIT);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
