package io.argosy.server.dynamic;

import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.registry.ResourceStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What is made of the objects of one resource as they stand, in the order of their names. Who asks when there are none pays for the reading of one field. */
public final class Catalogue<T> {
    private final Function<CachedObject, List<T>> reading;
    private final TreeMap<String, CachedObject> objects = new TreeMap<>();
    private Map<String, Made<T>> made = new HashMap<>();

    /** Null when an object has changed since. */
    private volatile List<T> all = List.of();

    /** What was made of an object at a revision. */
    private record Made<T>(long revision, List<T> of) {}

    /** The reading is done on the thread that asks first after a change, and must be quick. */
    public Catalogue(Function<CachedObject, List<T>> reading) {
        this.reading = reading;
    }

    public void follow(ResourceStore store) {
        store.cache().follow(this::take);
    }

    private synchronized void take(Change change) {
        CachedObject current = change.current();
        if (change.deleted()) {
            objects.remove(current.name());
        } else {
            objects.put(current.name(), current);
        }
        all = objects.isEmpty() ? List.of() : null;
    }

    public List<T> all() {
        List<T> known = all;
        return known == null ? read() : known;
    }

    private synchronized List<T> read() {
        if (all == null) {
            List<T> every = new ArrayList<>();
            Map<String, Made<T>> now = new HashMap<>();
            for (CachedObject object : objects.values()) {
                Made<T> known = made.get(object.name());
                Made<T> one = known != null && known.revision() == object.revision()
                        ? known
                        : new Made<>(object.revision(), reading.apply(object));
                now.put(object.name(), one);
                every.addAll(one.of());
            }
            made = now;
            all = List.copyOf(every);
        }
        return all;
    }
}
