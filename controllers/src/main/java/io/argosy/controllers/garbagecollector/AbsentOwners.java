package io.argosy.controllers.garbagecollector;

import io.argosy.controllers.catalog.ObjectMetas.Owner;
import java.util.LinkedHashMap;
import java.util.Map;

/** Remembers owners that were found missing, so that a thousand orphans of one owner ask for it once. */
final class AbsentOwners {
    private static final int CAPACITY = 500;

    private final Map<Object, Boolean> known = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > CAPACITY;
        }
    };

    private record Coordinates(Owner owner, String namespace) {}

    /** The object with this uid has been seen to go; a uid never comes back. */
    synchronized void gone(String uid) {
        known.put(uid, true);
    }

    /** There is no such owner for dependents in that namespace. */
    synchronized void missing(Owner owner, String namespace) {
        known.put(new Coordinates(plain(owner), namespace), true);
    }

    synchronized boolean contains(Owner owner, String namespace) {
        return known.get(owner.uid()) != null || known.get(new Coordinates(plain(owner), namespace)) != null;
    }

    private static Owner plain(Owner owner) {
        return new Owner(owner.apiVersion(), owner.kind(), owner.name(), owner.uid(), false, false);
    }
}
