package io.argosy.server.flow;

import io.argosy.api.selector.FieldSelector.Term;
import io.argosy.server.authz.Authorizer.Action;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many watches there are, by what they watch: so many have to be told of a write. Those of one node's pods are found by that node's name
 * and concern few writes, so they do not count.
 */
public final class WatchCount {
    private final ConcurrentHashMap<Scope, Integer> counts = new ConcurrentHashMap<>();

    private record Scope(String group, String resource, String namespace, String name) {}

    /** A watch while it lasts. */
    public interface Counted {
        void ended();
    }

    /** Counts a watch that begins. */
    public Counted begun(Action watch) {
        if (isOfOneNode(watch)) {
            return () -> {};
        }
        Scope scope = new Scope(watch.group(), watch.resource(), watch.namespace(), watch.name());
        counts.merge(scope, 1, Integer::sum);
        return () -> counts.computeIfPresent(scope, (same, count) -> count == 1 ? null : count - 1);
    }

    private static boolean isOfOneNode(Action watch) {
        if (!watch.resource().equals("pods")) {
            return false;
        }
        for (Term term : watch.selector().terms()) {
            if (term.equal()
                    && term.field().equals("spec.nodeName")
                    && !term.value().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** How many may be told of this write. */
    public int interested(Action write) {
        if (counts.isEmpty()) {
            return 0;
        }
        int interested = count(write, "", "");
        if (!write.namespace().isEmpty()) {
            interested += count(write, write.namespace(), "");
        }
        if (!write.name().isEmpty()) {
            interested += count(write, write.namespace(), write.name());
        }
        return interested;
    }

    private int count(Action write, String namespace, String name) {
        return counts.getOrDefault(new Scope(write.group(), write.resource(), namespace, name), 0);
    }
}
