package io.argosy.junit;

import io.argosy.client.model.Models;
import io.argosy.junit.story.Summary;
import io.argosy.server.cache.Change;
import io.argosy.server.registry.ResourceStore;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A rule for all objects of a kind, tried at every single revision; the first breach is kept until the test hears of it. */
final class Invariant<T extends HasMetadata> {
    private final Class<T> type;
    private final String what;
    private final Predicate<List<T>> rule;
    private final Supplier<String> hour;
    private final TreeMap<String, T> objects = new TreeMap<>();
    private boolean showing;
    private String breach;

    Invariant(Class<T> type, String what, Predicate<List<T>> rule, Supplier<String> hour) {
        this.type = type;
        this.what = what;
        this.rule = rule;
        this.hour = hour;
    }

    /** Follows the objects of a control plane that has just started, which shows each of them first. */
    void follow(ResourceStore store) {
        synchronized (this) {
            objects.clear();
            showing = true;
        }
        store.cache().follow(this::look);
        synchronized (this) {
            showing = false;
            judge("the start");
        }
    }

    private synchronized void look(Change change) {
        if (change.deleted()) {
            objects.remove(change.current().key());
        } else {
            objects.put(change.current().key(), Models.decode(change.current().json(), type));
        }
        if (!showing) {
            judge(change.current().toString());
        }
    }

    private void judge(String when) {
        if (breach != null) {
            return;
        }
        List<T> all = List.copyOf(objects.values());
        try {
            if (!rule.test(all)) {
                breach = "broken at " + hour.get() + " by " + when + ": " + what + "\n" + lines(all);
            }
        } catch (RuntimeException e) {
            breach = "could not be judged at " + hour.get() + ": " + what + ": " + e;
        }
    }

    Class<T> type() {
        return type;
    }

    synchronized void check() {
        if (breach != null) {
            throw new AssertionError(breach);
        }
    }

    private static String lines(List<? extends HasMetadata> objects) {
        StringBuilder text = new StringBuilder();
        objects.forEach(object -> text.append("  ").append(Summary.of(object)).append('\n'));
        return text.toString();
    }
}
