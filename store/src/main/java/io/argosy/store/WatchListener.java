package io.argosy.store;

import java.util.List;

/**
 * Hears of changes. Calls never overlap and come in revision order.
 *
 * <p>A listener must be quick, since others and the acknowledgement of writes may wait for it, and must neither wait
 * for a write nor close the store. One that throws is closed with what it threw; nobody else notices.
 */
public interface WatchListener {
    /** One or more changes, in revision order. */
    void onEvents(List<Event> events);

    /**
     * The watch has ended by itself; called once, and nothing after it. Not called for {@link Watch#close}.
     *
     * @param cause null if the store was closed, else why the watch could not go on
     */
    void onClosed(Throwable cause);
}
