package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.cache.ResourceCache;
import io.argosy.server.cache.Watcher;
import io.argosy.server.registry.ResourceStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/** Plays the changes of a resource to one watcher, in order, until one of the two ends it. */
public final class Watches {
    private static final Duration BOOKMARK_INTERVAL = Duration.ofSeconds(60);
    private static final int MIN_TIMEOUT_SECONDS = 1800;
    private static final long MAX_TIMEOUT_SECONDS = Duration.ofDays(365).toSeconds();

    private Watches() {}

    /** Where events go. */
    public interface Sink {
        /** Type is ADDED, MODIFIED, DELETED or BOOKMARK; false ends the watch. */
        boolean event(String type, CachedObject object) throws InterruptedException;

        /** Whoever watched has gone. */
        boolean gone();
    }

    /** Where a watch begins: the resource, the selection, and the objects to show first. */
    public static final class Opened {
        private final ResourceStore store;
        private final Selection selection;
        private ResourceCache.Snapshot initial; // null when there is none, or it has been shown
        private final boolean endsInitialEvents;
        private final boolean bookmarks;
        private final Watcher watcher;
        private final Duration timeout;
        private final Duration bookmarkInterval;

        private Opened(ResourceStore store, ResourceRequest request, Clock holding, Duration bookmarkInterval) {
            this.store = store;
            this.bookmarkInterval = bookmarkInterval;
            ListQuery.checkWatch(request.params());
            this.selection = Selection.of(request);
            this.bookmarks = request.params().flag("allowWatchBookmarks");
            long seconds = Math.min(request.params().number("timeoutSeconds", 0), MAX_TIMEOUT_SECONDS);
            this.timeout = Duration.ofSeconds(
                    seconds > 0
                            ? seconds
                            : MIN_TIMEOUT_SECONDS + ThreadLocalRandom.current().nextInt(MIN_TIMEOUT_SECONDS));
            String version = request.params().text("resourceVersion");
            String sendInitial = request.params().text("sendInitialEvents");
            boolean fromState = sendInitial.isEmpty()
                    ? version.isEmpty() || version.equals("0")
                    : request.params().flag("sendInitialEvents");
            // a list that is watched from its state on is a streamed one, whether the client knows that word or not
            boolean streamed = !sendInitial.isEmpty() || request.params().flag("watch");
            this.endsInitialEvents = bookmarks && fromState && streamed;
            if (!version.equals("0")) {
                store.awaitNewest();
            }
            if (!version.isEmpty() && Reads.revision(version) > store.shown()) {
                throw Reads.tooLarge(version, store.shown());
            }
            if (fromState) {
                this.initial = store.snapshot(selection.namespace());
                this.watcher = store.watch(initial.revision(), holding);
            } else {
                this.initial = null;
                boolean fromNow = version.isEmpty() || version.equals("0");
                this.watcher = store.watch(fromNow ? store.revision() : Reads.revision(version), holding);
            }
        }

        /** Ends the watch from another thread. */
        public void close() {
            watcher.close();
        }

        /** What was told has been dealt with, the end included; for who watches with a clock. */
        public void done() {
            watcher.done();
        }

        /** Runs until the end; a refusal on the way is thrown. How long a connection lasts is a matter of real time. */
        public void run(Sink sink) throws InterruptedException {
            Clock clock = Clock.system();
            try (watcher) {
                if (initial != null && !showInitial(sink)) {
                    return;
                }
                initial = null; // it may be large, and the watch long
                Instant end = clock.now().plus(timeout);
                Instant due = nextBookmark(clock, end);
                while (!watcher.closed() && !sink.gone() && clock.now().isBefore(end)) {
                    long seen =
                            store.revision(); // before looking: when nothing more is found, all up to here was shown
                    Change change = watcher.next(Duration.between(clock.now(), due));
                    if (change != null && !show(change, sink)) {
                        return;
                    }
                    if (change == null || !clock.now().isBefore(due)) {
                        due = nextBookmark(clock, end);
                        long known = change == null ? seen : change.revision();
                        if (bookmarks && !watcher.closed() && !sink.event("BOOKMARK", bookmark(known, false))) {
                            return;
                        }
                    }
                }
            }
        }

        /** However much is going on that does not concern the watcher, it learns in time from where it can go on. */
        private Instant nextBookmark(Clock clock, Instant end) {
            Instant next = clock.now().plus(bookmarkInterval);
            return next.isBefore(end) ? next : end;
        }

        private boolean showInitial(Sink sink) throws InterruptedException {
            for (CachedObject object : initial.objects()) {
                if (selection.matchesContent(object) && !sink.event("ADDED", object)) {
                    return false;
                }
            }
            return !endsInitialEvents || sink.event("BOOKMARK", bookmark(initial.revision(), true));
        }

        /** An object that enters the selection is added to it, one that leaves it is deleted from it. */
        private boolean show(Change change, Sink sink) throws InterruptedException {
            boolean is = !change.deleted() && selection.matches(change.current());
            boolean was = change.previous() != null && selection.matches(change.previous());
            if (is) {
                return sink.event(was ? "MODIFIED" : "ADDED", change.current());
            }
            return !was || sink.event("DELETED", change.deleted() ? change.current() : change.departed());
        }

        private CachedObject bookmark(long revision, boolean initialEventsEnd) {
            ResourceType type = store.type();
            String json = "{\"kind\":\"" + type.kind() + "\",\"apiVersion\":\"" + type.groupVersion()
                    + "\",\"metadata\":{\"resourceVersion\":\"" + revision + "\""
                    + (initialEventsEnd ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "") + "}}";
            return new CachedObject(
                    "",
                    "",
                    "",
                    json.getBytes(StandardCharsets.UTF_8),
                    revision,
                    java.util.Map.of(),
                    java.util.Map.of());
        }
    }

    /** Opens a watch: from here on no change is missed. Refuses what cannot be watched. */
    public static Opened open(ResourceStore store, ResourceRequest request) {
        return open(store, request, null);
    }

    /** The same for a watcher in this process, who holds the clock while there is something to tell, until {@link Opened#done}. */
    public static Opened open(ResourceStore store, ResourceRequest request, Clock holding) {
        return open(store, request, holding, BOOKMARK_INTERVAL);
    }

    static Opened open(ResourceStore store, ResourceRequest request, Clock holding, Duration bookmarkInterval) {
        return new Opened(store, request, holding, bookmarkInterval);
    }
}
