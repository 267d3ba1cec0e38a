package io.argosy.client.controller;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Owners;
import io.argosy.client.WriteLog;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reconciler at work: events of the watched kinds become keys, workers reconcile them, failures come again after a growing
 * delay.
 *
 * <p>A worker does not give a key back before the informers of this process have seen everything the reconciliation wrote, so
 * the next one of that key reads its predecessor's writes. Only writes through a {@link io.argosy.client.TypedClient}, on the
 * worker's thread or on threads started from it, are noticed. After a write of which nobody knows whether it was made, the key waits
 * until the informers are as new as the API was then.
 */
public final class Controller implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
    /** A watch that is this late is broken; the informer will list again and the key may go on with what is known. */
    private static final Duration LONGEST_CATCH_UP = Duration.ofSeconds(30);

    private final String name;
    private final Reconciler reconciler;
    private final Informers informers;
    private final int workers;
    private final WorkQueue<NamespacedName> queue;
    private final List<Thread> threads = new ArrayList<>();
    private final CatchUp catchUp;
    private final Map<NamespacedName, List<WriteLog.Doubt<?>>> doubts = new ConcurrentHashMap<>();

    private Controller(Builder builder, Reconciler reconciler) {
        name = builder.name;
        this.reconciler = reconciler;
        informers = builder.informers;
        workers = builder.workers;
        queue = builder.queue;
        catchUp = new CatchUp(informers);
    }

    /** The wiring of a controller; handlers are added as the methods are called, before the informers start or after. */
    public static Builder named(String name, Informers informers, Clock clock) {
        return new Builder(name, informers, clock);
    }

    /** What its threads and metrics are called by. */
    public String name() {
        return name;
    }

    /** The keys that wait to be looked at; a key that something outside the API has changed is added here. */
    public WorkQueue<NamespacedName> queue() {
        return queue;
    }

    /** True when no key waits or is worked on; keys that wait for their time do not count. */
    public boolean idle() {
        return queue.idle();
    }

    /** Starts the workers; they wait for the informers asked for so far to have their first lists. */
    public synchronized void start() {
        for (int i = 0; i < workers; i++) {
            threads.add(Thread.ofVirtual().name(name + "-" + i).start(this::work));
        }
    }

    /** Stops the workers and waits for the reconciliations under way. */
    @Override
    public synchronized void close() {
        queue.close();
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        threads.clear();
    }

    private void work() {
        try {
            informers.awaitSync();
            for (NamespacedName key = queue.take(); key != null; key = queue.take()) {
                try {
                    reconcile(key);
                } finally {
                    queue.done(key);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{}: worker stopped", name);
        }
    }

    private void reconcile(NamespacedName key) throws InterruptedException {
        if (!doubts.getOrDefault(key, List.of()).stream().allMatch(catchUp::hasSeen)) {
            queue.addRateLimited(key);
            return;
        }
        doubts.remove(key);
        WriteLog writes = new WriteLog();
        try {
            Reconciler.Result result = writes.during(() -> reconciler.reconcile(key));
            queue.forget(key);
            if (!result.requeueAfter().isNegative() && result.watching()) {
                queue.watchOver(key, key.name(), result.requeueAfter());
            } else if (!result.requeueAfter().isNegative()) {
                queue.addAfter(key, result.requeueAfter());
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            report(key, e);
            queue.addRateLimited(key);
        }
        if (!writes.doubts().isEmpty()) {
            doubts.put(key, writes.doubts());
        }
        for (Map.Entry<Class<? extends HasMetadata>, Long> written :
                writes.revisions().entrySet()) {
            Optional<? extends Informer<?>> informer = informers.existing(written.getKey());
            if (informer.isPresent() && !informer.get().awaitRevision(written.getValue(), LONGEST_CATCH_UP)) {
                LOG.warn(
                        "{}: the cache of {} has not reached revision {} that {} wrote",
                        name,
                        written.getKey().getSimpleName(),
                        written.getValue(),
                        key);
            }
        }
    }

    /** Conflicts are everyday life; other refusals and outages are news once per streak, and defects come with their stack. */
    private void report(NamespacedName key, Exception failure) {
        boolean again = queue.failures(key) > 0;
        if (failure instanceof ApiException refusal) {
            if (refusal.is(Reason.Conflict) || refusal.is(Reason.AlreadyExists) || again) {
                LOG.debug("{}: {} will be tried again: {}", name, key, refusal.getMessage());
            } else {
                LOG.warn("{}: {} will be tried again: {}", name, key, refusal.getMessage());
            }
        } else if (again) {
            LOG.debug("{}: {} failed again", name, key, failure);
        } else {
            LOG.error("{}: {} failed", name, key, failure);
        }
    }

    /** Says what a controller watches. */
    public static final class Builder {
        private final String name;
        private final Informers informers;
        private final WorkQueue<NamespacedName> queue;
        private int workers = 4;

        private Builder(String name, Informers informers, Clock clock) {
            this.name = name;
            this.informers = informers;
            queue = new WorkQueue<>(clock);
        }

        /** How many keys are worked on at once; 4 if nothing is said. No key is ever worked on twice at once. */
        public Builder workers(int count) {
            workers = count;
            return this;
        }

        /** The queue that the controller will work on, for handlers with needs of their own. */
        public WorkQueue<NamespacedName> queue() {
            return queue;
        }

        /** A change of an object asks for the object itself. */
        public <T extends HasMetadata> Builder watches(Class<T> type) {
            return maps(type, object -> List.of(nameOf(object)));
        }

        /** A change of an object asks for its controlling owner, if that is of the given kind. */
        public <T extends HasMetadata> Builder owns(Class<T> type, Class<? extends HasMetadata> ownerType) {
            String ownerKind = HasMetadata.getKind(ownerType);
            String ownerGroup = HasMetadata.getGroup(ownerType);
            return maps(
                    type,
                    object -> Owners.controllerOf(object)
                            .filter(owner -> owner.getKind().equals(ownerKind)
                                    && Owners.groupOf(owner).equals(ownerGroup))
                            .map(owner -> List.of(
                                    NamespacedName.of(object.getMetadata().getNamespace(), owner.getName())))
                            .orElse(List.of()));
        }

        /** A change of an object asks for the keys that the function names, for its state before and after. */
        public <T extends HasMetadata> Builder maps(
                Class<T> type, Function<T, ? extends Collection<NamespacedName>> keys) {
            informers.of(type).addHandler(new Informer.Handler<>() {
                @Override
                public void added(T object) {
                    keys.apply(object).forEach(queue::add);
                }

                @Override
                public void updated(T before, T after) {
                    keys.apply(before).forEach(queue::add);
                    keys.apply(after).forEach(queue::add);
                }

                @Override
                public void deleted(T last) {
                    keys.apply(last).forEach(queue::add);
                }
            });
            return this;
        }

        /** The controller, with what it does for each key; it begins with {@link Controller#start}. */
        public Controller reconciler(Reconciler reconciler) {
            return new Controller(this, reconciler);
        }
    }

    private static NamespacedName nameOf(HasMetadata object) {
        return NamespacedName.of(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }
}
