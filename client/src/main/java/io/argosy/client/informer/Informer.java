package io.argosy.client.informer;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A local, always current copy of all objects of one kind, kept by list and watch. The objects are shared: they must not be
 * changed by who reads them. They come without {@code metadata.managedFields}, which no loop needs and which would be much of what is
 * held; who writes such an object back changes nobody's ownership by that.
 */
public interface Informer<T extends HasMetadata> {
    /** The object of that name, if the copy has it. */
    Optional<T> get(NamespacedName name);

    /** All objects. */
    List<T> list();

    /** All objects of a namespace. */
    List<T> list(String namespace);

    /** Objects for which the named index function gave this value. */
    List<T> byIndex(String index, String value);

    /** Adds an index; before the informer starts. */
    void addIndex(String index, Function<T, ? extends Collection<String>> values);

    /** Adds a handler; one that comes late is told of every object already there. Calls come in order, one at a time. */
    void addHandler(Handler<T> handler);

    /** True once the first list has been delivered to the cache. */
    boolean synced();

    /** The store revision up to which this copy is complete. */
    long revision();

    /** Waits until the copy has reached the revision. */
    void awaitRevision(long revision) throws InterruptedException;

    /**
     * The same, for one who holds the clock and lets go of it meanwhile; gives up after the timeout (of real time, as it is a wait for
     * I/O). True if the revision was reached.
     */
    boolean awaitRevision(long revision, Duration timeout) throws InterruptedException;

    /** Told of changes; must be quick, it holds up the events behind it. */
    interface Handler<T> {
        /** The object is new, or new to this handler. */
        void added(T object);

        /** The object has changed. */
        void updated(T before, T after);

        /** The object is gone; this is how it last looked. */
        void deleted(T last);

        /** A handler that does the same whatever happened, with the newest state of the object. */
        static <T> Handler<T> onAny(java.util.function.Consumer<T> action) {
            return new Handler<>() {
                @Override
                public void added(T object) {
                    action.accept(object);
                }

                @Override
                public void updated(T before, T after) {
                    action.accept(after);
                }

                @Override
                public void deleted(T last) {
                    action.accept(last);
                }
            };
        }
    }
}
