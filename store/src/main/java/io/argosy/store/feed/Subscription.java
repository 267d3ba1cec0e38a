package io.argosy.store.feed;

import io.argosy.store.CompactedException;
import io.argosy.store.Event;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One watch: its prefix, how far it has been told, and a listener whose failures end here. */
public final class Subscription implements Watch {
    private static final Logger log = LoggerFactory.getLogger(Subscription.class);

    private final String prefix;
    private final WatchListener listener;
    private final Collection<Subscription> live;
    private final AtomicBoolean open = new AtomicBoolean(true);

    /** Used by the watching thread while it catches up, by the dispatcher alone afterwards. */
    private long reached;

    public Subscription(String prefix, long after, WatchListener listener, Collection<Subscription> live) {
        this.prefix = prefix;
        this.reached = after;
        this.listener = listener;
        this.live = live;
    }

    public String prefix() {
        return prefix;
    }

    public boolean matches(String key) {
        return key.startsWith(prefix);
    }

    public long reached() {
        return reached;
    }

    public boolean isOpen() {
        return open.get();
    }

    public void requireUncompacted(long compacted) {
        if (reached < compacted) {
            throw new CompactedException(reached, compacted);
        }
    }

    public void replay(List<Event> history, long upTo) {
        tell(history);
        reached = upTo;
    }

    public void deliver(List<Event> committed) {
        if (committed.getLast().revision() <= reached) {
            return; // asked to be told only from a later revision on
        }
        List<Event> matching = new ArrayList<>(committed.size());
        for (Event event : committed) {
            if (event.revision() > reached && matches(event.key())) {
                matching.add(event);
            }
        }
        tell(matching);
    }

    private void tell(List<Event> events) {
        if (events.isEmpty() || !open.get()) {
            return;
        }
        try {
            listener.onEvents(List.copyOf(events));
        } catch (Throwable e) {
            end(e);
        }
    }

    public void end(Throwable cause) {
        if (!open.compareAndSet(true, false)) {
            return;
        }
        live.remove(this);
        if (cause != null) {
            log.warn("The watch of {} is closed.", prefix, cause);
        }
        try {
            listener.onClosed(cause);
        } catch (RuntimeException e) {
            log.warn("The listener of the closed watch of {} failed.", prefix, e);
        }
    }

    @Override
    public void close() {
        open.set(false);
        live.remove(this);
    }
}
