package io.argosy.controllers.garbagecollector;

import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.controllers.catalog.ObjectMetas;
import io.argosy.controllers.catalog.ObjectMetas.Owner;
import io.argosy.controllers.catalog.RawObjects;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.catalog.ResourceCatalog.ApiResource;
import io.argosy.controllers.watch.ListWatch;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects whose owners are gone. Watches of every kind feed one thread that keeps the graph; workers examine the objects
 * that a change put in question, against the live API, so that a graph that lags behind does no harm.
 */
public final class GarbageCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GarbageCollector.class);
    private static final int WORKERS = 20;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final ApiTransport transport;
    private final ResourceCatalog catalog;
    private final Clock clock;
    private final EventRecorder events;
    private final Consumer<String> goneFromNamespace;
    private final DependencyGraph graph = new DependencyGraph();
    private final AbsentOwners absent = new AbsentOwners();
    private final WorkQueue<Task> queue;
    private final Examiner examiner;
    private final LinkedBlockingQueue<Runnable> changes = new LinkedBlockingQueue<>();
    private final AtomicInteger pendingChanges = new AtomicInteger();
    private final CountDownLatch firstLists = new CountDownLatch(1);
    private final Map<ApiResource, ListWatch> watches = new HashMap<>();
    private final Set<ApiResource> unlisted = new HashSet<>();
    private final List<Thread> threads = new ArrayList<>();

    /** An object to examine, or whose dependents to set free. */
    record Task(String uid, boolean orphan) {}

    /** {@code goneFromNamespace} hears the namespace of every object that is gone. */
    public GarbageCollector(
            ApiTransport transport,
            ResourceCatalog catalog,
            Clock clock,
            EventRecorder events,
            Consumer<String> goneFromNamespace) {
        this.transport = transport;
        this.catalog = catalog;
        this.clock = clock;
        this.events = events;
        this.goneFromNamespace = goneFromNamespace;
        queue = new WorkQueue<>(clock);
        examiner = new Examiner(graph, absent, catalog, new RawObjects(transport), new Examiner.Requests() {
            @Override
            public void examine(String uid) {
                queue.add(new Task(uid, false));
            }

            @Override
            public void forget(String uid) {
                post(() -> follow(graph.forget(uid)));
            }
        });
    }

    /** Starts watching; objects are examined as soon as all kinds have been listed once. */
    public synchronized void start() {
        threads.add(Thread.ofVirtual().name("gc-graph").start(this::keepGraph));
        for (int i = 0; i < WORKERS; i++) {
            threads.add(Thread.ofVirtual().name("gc-" + i).start(this::work));
        }
        catalog.onceKnown(() -> post(this::watchAll));
        catalog.onChange(() -> post(this::watchAll));
    }

    /** True when nothing is waiting to be looked at. */
    public boolean idle() {
        return firstLists.getCount() == 0 && pendingChanges.get() == 0 && queue.idle();
    }

    public WorkQueue<?> queue() {
        return queue;
    }

    /** How many objects the graph knows. */
    public int objects() {
        return graph.size();
    }

    @Override
    public synchronized void close() {
        watches.values().forEach(ListWatch::close);
        queue.close();
        threads.forEach(Thread::interrupt);
    }

    // ---- the graph's thread ----

    private void post(Runnable change) {
        pendingChanges.incrementAndGet();
        clock.hold();
        changes.add(change);
    }

    private void keepGraph() {
        try {
            while (true) {
                Runnable change = changes.take();
                try {
                    change.run();
                } catch (RuntimeException e) {
                    LOG.error("garbage collector: a change could not be taken in", e);
                } finally {
                    pendingChanges.decrementAndGet();
                    clock.release();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("garbage collector closed");
        }
    }

    private void watchAll() {
        Set<ApiResource> wanted = new HashSet<>();
        try {
            for (ApiResource resource : catalog.resources()) {
                if (resource.supports("list", "watch", "delete")
                        && !resource.resource().equals("events")) {
                    wanted.add(resource);
                }
            }
        } catch (RuntimeException e) {
            LOG.warn("garbage collector: kinds cannot be learnt, trying again in {}: {}", RETRY, e.getMessage());
            clock.schedule(RETRY, () -> post(this::watchAll));
            return;
        }
        watch(wanted);
    }

    private synchronized void watch(Set<ApiResource> wanted) {
        for (ApiResource resource : List.copyOf(watches.keySet())) {
            if (!wanted.contains(resource)) {
                watches.remove(resource).close();
                unlisted.remove(resource);
                forgetOthers(resource, Set.of());
            }
        }
        for (ApiResource resource : wanted) {
            watches.computeIfAbsent(resource, added -> {
                unlisted.add(added);
                ListWatch watch = new ListWatch(
                        transport, added.groupVersion(), added.resource(), Map.of(), clock, new Feed(added));
                watch.start();
                return watch;
            });
        }
        openGate();
    }

    private void openGate() {
        if (unlisted.isEmpty()) {
            firstLists.countDown();
        }
    }

    /** Carries what one watch hears over to the graph's thread. */
    private final class Feed implements ListWatch.Listener {
        private final ApiResource resource;
        /** Whether the graph may know objects of this kind from an earlier list. */
        private boolean listedBefore;

        Feed(ApiResource resource) {
            this.resource = resource;
        }

        @Override
        public String listed(byte[] list) {
            ObjectMetas.Listing listing = ObjectMetas.list(list);
            post(() -> {
                Set<String> uids = new HashSet<>();
                for (ObjectMetas.Meta meta : listing.items()) {
                    uids.add(meta.uid());
                    follow(graph.observe(Node.of(resource, meta)));
                }
                if (listedBefore) {
                    forgetOthers(resource, uids);
                }
                listedBefore = true;
                unlisted.remove(resource);
                openGate();
            });
            return listing.resourceVersion();
        }

        @Override
        public void event(String type, byte[] object) {
            ObjectMetas.Meta meta = ObjectMetas.read(object);
            if (type.equals("DELETED")) {
                post(() -> {
                    absent.gone(meta.uid());
                    follow(graph.forget(meta.uid()));
                    if (!meta.namespace().isEmpty()) {
                        goneFromNamespace.accept(meta.namespace());
                    }
                });
            } else {
                post(() -> follow(graph.observe(Node.of(resource, meta))));
            }
        }
    }

    private void forgetOthers(ApiResource resource, Set<String> present) {
        for (Node node : graph.all()) {
            if (node.resource().equals(resource) && !present.contains(node.uid())) {
                follow(graph.forget(node.uid()));
            }
        }
    }

    private void follow(DependencyGraph.Consequences then) {
        then.examine().forEach(uid -> queue.add(new Task(uid, false)));
        then.orphan().forEach(uid -> queue.add(new Task(uid, true)));
        then.strays().forEach(this::tell);
    }

    private void tell(DependencyGraph.Stray stray) {
        Node dependent = stray.dependent();
        Owner owner = stray.owner();
        events.event(
                new ObjectReferenceBuilder()
                        .withApiVersion(dependent.resource().groupVersion().toString())
                        .withKind(dependent.resource().kind())
                        .withNamespace(dependent.namespace())
                        .withName(dependent.name())
                        .withUid(dependent.uid())
                        .build(),
                EventRecorder.Type.Warning,
                "OwnerRefInvalidNamespace",
                "ownerRef [" + owner.apiVersion() + "/" + owner.kind() + ", namespace: " + dependent.namespace()
                        + ", name: " + owner.name() + ", uid: " + owner.uid() + "] does not exist in namespace \""
                        + dependent.namespace() + "\"");
    }

    // ---- the workers ----

    private void work() {
        try {
            firstLists.await();
            for (Task task = queue.take(); task != null; task = queue.take()) {
                try {
                    attempt(task);
                } finally {
                    queue.done(task);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("garbage collector closed");
        }
    }

    private void attempt(Task task) {
        try {
            boolean settled = task.orphan() ? examiner.orphan(task.uid()) : examiner.examine(task.uid());
            if (settled) {
                queue.forget(task);
            } else {
                queue.addRateLimited(task);
            }
        } catch (RuntimeException e) {
            LOG.debug("garbage collector: {} will be tried again: {}", task, e.getMessage());
            queue.addRateLimited(task);
        }
    }
}
