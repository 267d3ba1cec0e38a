package io.argosy.client.informer;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Response;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.WatchPatience;
import io.argosy.client.model.Models;
import io.argosy.client.model.ResourceType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the copy of one kind: one virtual thread lists, watches, decodes, updates the cache and tells the handlers, in this order;
 * the revision advances last, so that who waited for it finds cache and handlers up to date. A signal holds the clock from when it
 * comes in until the keeper asks for the next.
 */
final class SharedInformer<T extends HasMetadata> implements Informer<T> {
    private static final Logger LOG = LoggerFactory.getLogger(SharedInformer.class);
    /** After so many events without a pause others get their turn; virtual threads are never interrupted from outside. */
    private static final int EVENTS_IN_A_ROW = 32;

    private static final byte[] NOTHING = new byte[0];

    private final ApiTransport transport;
    private final Class<T> type;
    private final Clock clock;
    private final ResourceType names;
    private final ObjectCache<T> cache = new ObjectCache<>();
    private final RevisionGate gate;
    private final CountDownLatch firstList = new CountDownLatch(1);
    private final LinkedBlockingQueue<Signal<T>> inbox = new LinkedBlockingQueue<>();
    private final AtomicLong outstanding = new AtomicLong();
    private final List<Handler<T>> handlers = new ArrayList<>();
    private final WatchPatience patience;
    private Thread keeper;
    private boolean listNeeded = true;
    private Sink currentWatch;

    SharedInformer(ApiTransport transport, Class<T> type, Clock clock) {
        this.transport = transport;
        this.type = type;
        this.clock = clock;
        this.patience = new WatchPatience(clock);
        gate = new RevisionGate(clock);
        names = ResourceType.of(type);
    }

    /** What the keeper thread is told of. */
    private sealed interface Signal<T> {
        record Event<T>(Object watch, String type, byte[] object, long revision) implements Signal<T> {}

        record Closed<T>(Object watch, RuntimeException cause) implements Signal<T> {}

        record Joined<T>(Handler<T> handler) implements Signal<T> {}
    }

    @Override
    public Optional<T> get(NamespacedName name) {
        return Optional.ofNullable(cache.get(name));
    }

    @Override
    public List<T> list() {
        return cache.list();
    }

    @Override
    public List<T> list(String namespace) {
        return cache.list(namespace);
    }

    @Override
    public List<T> byIndex(String index, String value) {
        return cache.byIndex(index, value);
    }

    @Override
    public void addIndex(String index, Function<T, ? extends Collection<String>> values) {
        cache.addIndex(index, values);
    }

    @Override
    public synchronized void addHandler(Handler<T> handler) {
        if (keeper == null) {
            handlers.add(handler);
        } else {
            post(new Signal.Joined<>(handler));
        }
    }

    @Override
    public boolean synced() {
        return firstList.getCount() == 0;
    }

    @Override
    public long revision() {
        return gate.revision();
    }

    @Override
    public void awaitRevision(long revision) throws InterruptedException {
        gate.await(revision);
    }

    @Override
    public boolean awaitRevision(long revision, Duration timeout) throws InterruptedException {
        return gate.awaitHolding(revision, timeout.toNanos());
    }

    void awaitSync() throws InterruptedException {
        firstList.await();
    }

    /** True when every event received has been cached and told. */
    boolean idle() {
        return outstanding.get() == 0;
    }

    synchronized void start() {
        if (keeper == null) {
            clock.hold(); // until it waits for the first event
            keeper = Thread.ofVirtual()
                    .name("informer-" + names.plural())
                    .inheritInheritableThreadLocals(false)
                    .start(this::keep);
        }
    }

    synchronized void close() {
        if (keeper != null) {
            keeper.interrupt();
        }
    }

    private void keep() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                keepOnce();
            }
        } catch (InterruptedException e) {
            LOG.debug("informer of {} closed", names.plural());
        } finally {
            clock.release();
        }
    }

    private void keepOnce() throws InterruptedException {
        try {
            if (listNeeded) {
                relist();
                listNeeded = false;
            }
            watch();
        } catch (ApiException e) {
            if (e.code() == 410) {
                LOG.debug("watch of {} at revision {} is too old, listing again", names.plural(), gate.revision());
                listNeeded = true;
            } else {
                retryAfter(e);
            }
        } catch (RuntimeException e) {
            retryAfter(e);
        }
    }

    private void retryAfter(RuntimeException cause) throws InterruptedException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedException();
        }
        LOG.warn("informer of {} goes on in {}: {}", names.plural(), patience.delay(), cause.toString());
        patience.backOff();
    }

    private void relist() {
        Response response = transport.send(request(Verb.LIST, Map.of()));
        Models.Listing<T> listing = Models.decodeList(response.body(), type, Models::withoutManagedFields);
        Set<NamespacedName> gone = synced() ? cache.names() : new HashSet<>();
        for (T object : listing.items()) {
            NamespacedName name = ObjectCache.nameOf(object);
            gone.remove(name);
            store(name, object);
        }
        gone.forEach(this::remove);
        long revision = Models.revision(listing.resourceVersion());
        gate.advance(revision > 0 ? revision : response.revision());
        firstList.countDown();
    }

    private void watch() throws InterruptedException {
        Sink sink = new Sink();
        currentWatch = sink;
        Instant began = clock.now();
        ApiTransport.Watch watch = transport.watch(
                request(
                        Verb.WATCH,
                        Map.of("resourceVersion", Long.toString(gate.revision()), "allowWatchBookmarks", "true")),
                sink);
        try {
            for (int count = 1; ; count++) {
                if (count % EVENTS_IN_A_ROW == 0) {
                    Thread.yield();
                }
                Signal<T> signal = take();
                try {
                    switch (signal) {
                        case Signal.Joined<T>(Handler<T> handler) -> join(handler);
                        case Signal.Event<T> event -> {
                            if (event.watch() == currentWatch) {
                                patience.heard();
                                apply(event);
                            }
                        }
                        case Signal.Closed<T>(Object closed, RuntimeException cause) -> {
                            if (closed == currentWatch) {
                                if (cause != null) {
                                    throw cause;
                                }
                                patience.ended(began);
                                return;
                            }
                        }
                    }
                } finally {
                    outstanding.decrementAndGet();
                }
            }
        } finally {
            currentWatch = null;
            watch.close();
        }
    }

    /** The keeper's hold becomes that of the signal it takes; interrupted, it has its own again. */
    private Signal<T> take() throws InterruptedException {
        clock.release();
        try {
            return inbox.take();
        } catch (InterruptedException e) {
            clock.hold();
            throw e;
        }
    }

    private void apply(Signal.Event<T> event) {
        if (!event.type().equals("BOOKMARK")) {
            T object;
            try {
                object = Models.decode(Models.withoutManagedFields(event.object()), type);
            } catch (RuntimeException e) {
                LOG.error("an event of {} cannot be read and is left out: {}", names.plural(), e.getMessage());
                gate.advance(event.revision());
                return;
            }
            NamespacedName name = ObjectCache.nameOf(object);
            if (event.type().equals("DELETED")) {
                removed(name, object);
            } else {
                store(name, object);
            }
        }
        gate.advance(event.revision() > 0 ? event.revision() : Models.revisionOf(event.object()));
    }

    private void store(NamespacedName name, T object) {
        T before = cache.put(name, object);
        if (before == null) {
            tell(handler -> handler.added(object));
        } else if (!sameRevision(before, object)) {
            tell(handler -> handler.updated(before, object));
        }
    }

    private void removed(NamespacedName name, T last) {
        if (cache.remove(name) != null) {
            tell(handler -> handler.deleted(last));
        }
    }

    private void remove(NamespacedName name) {
        T last = cache.remove(name);
        if (last != null) {
            tell(handler -> handler.deleted(last));
        }
    }

    private void join(Handler<T> handler) {
        handlers.add(handler);
        for (T object : cache.list()) {
            tell(handler, newcomer -> newcomer.added(object));
        }
    }

    private void tell(Consumer<Handler<T>> news) {
        for (Handler<T> handler : handlers) {
            tell(handler, news);
        }
    }

    private void tell(Handler<T> handler, Consumer<Handler<T>> news) {
        try {
            news.accept(handler);
        } catch (RuntimeException e) {
            LOG.error("a handler of {} failed", names.plural(), e);
        }
    }

    private void post(Signal<T> signal) {
        outstanding.incrementAndGet();
        clock.hold();
        inbox.add(signal);
    }

    private Request request(Verb verb, Map<String, String> query) {
        return new Request(verb, names.groupVersion(), names.plural(), "", "", "", query, "", NOTHING);
    }

    private static boolean sameRevision(HasMetadata before, HasMetadata after) {
        String revision = before.getMetadata().getResourceVersion();
        return revision != null && revision.equals(after.getMetadata().getResourceVersion());
    }

    private final class Sink implements ApiTransport.WatchSink {
        @Override
        public void event(String eventType, byte[] object, long revision) {
            post(new Signal.Event<>(this, eventType, object, revision));
        }

        @Override
        public void closed(RuntimeException cause) {
            post(new Signal.Closed<>(this, cause));
        }
    }
}
