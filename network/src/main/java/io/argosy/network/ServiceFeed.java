package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
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

/**
 * Tells the proxy and DNS which Services changed. Level-based: events only say where to look, the state is read when it is used,
 * and what changes while a receiver is busy reaches it as one change.
 */
public final class ServiceFeed {
    private static final Logger log = LoggerFactory.getLogger(ServiceFeed.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(15);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    /** Takes changed Services, a null entry for one that is gone; the first call brings all there are. */
    @FunctionalInterface
    public interface Receiver {
        /** An exception means: again, with these and what came in between, after a growing delay. */
        void changed(Map<NamespacedName, ServiceEntry> changes) throws Exception;
    }

    /** A receiver that is being told of changes, until it is closed. */
    public interface Following extends AutoCloseable {
        @Override
        void close();
    }

    private final Informers informers;
    private final Informer<Service> services;
    private final Informer<EndpointSlice> slices;
    private final Clock clock;
    private final Map<NamespacedName, Set<NamespacedName>> slicesOf = new ConcurrentHashMap<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    public ServiceFeed(Informers informers, Clock clock) {
        this.informers = informers;
        this.services = informers.of(Service.class);
        this.slices = informers.of(EndpointSlice.class);
        this.clock = clock;
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
            return null;
        }
        try {
            List<EndpointGroup> groups = new ArrayList<>();
            slicesOf.getOrDefault(name, Set.of()).stream()
                    .sorted()
                    .forEach(sliceName -> slices.get(sliceName)
                            .filter(slice ->
                                    name.equals(ServiceReader.serviceOf(slice).orElse(null)))
                            .ifPresent(slice -> groups.add(ServiceReader.slice(name, slice))));
            return new ServiceEntry(ServiceReader.service(service), groups);
        } catch (IllegalArgumentException e) {
            log.warn("Service {} is left out of the network: {}", name, e.getMessage());
            return null;
        }
    }

    private final class Subscription implements Following {
        private final String name;
        private final Receiver receiver;
        private final Thread thread;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition touched = lock.newCondition();
        private Set<NamespacedName> dirty = new HashSet<>();
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
                receiver.changed(changes);
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
                while (dirty.isEmpty()) {
                    touched.await();
                }
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
