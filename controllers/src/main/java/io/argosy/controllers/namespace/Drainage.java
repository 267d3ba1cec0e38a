package io.argosy.controllers.namespace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one pass over a namespace's content found: what is left, what holds it, what went wrong, how long it may take. */
final class Drainage {
    private final Map<String, Integer> remaining = new TreeMap<>();
    private final Map<String, Integer> finalizers = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private String discoveryFailure;
    private long estimateSeconds;

    void discoveryFailed(String message) {
        discoveryFailure = message;
    }

    void failed(String message) {
        failures.add(message);
    }

    /** Objects of a resource, as {@code resource.group}, are still there. */
    void remain(String resource, int count, Map<String, Integer> held, long seconds) {
        remaining.merge(resource, count, Integer::sum);
        held.forEach((finalizer, objects) -> finalizers.merge(finalizer, objects, Integer::sum));
        estimateSeconds = Math.max(estimateSeconds, seconds);
    }

    /** Nothing that is known of is left; there may be what could not be learnt. */
    boolean isEmpty() {
        return remaining.isEmpty() && failures.isEmpty();
    }

    boolean isDone() {
        return isEmpty() && discoveryFailure == null;
    }

    Map<String, Integer> remaining() {
        return remaining;
    }

    Map<String, Integer> finalizers() {
        return finalizers;
    }

    List<String> failures() {
        return failures;
    }

    String discoveryFailure() {
        return discoveryFailure;
    }

    long estimateSeconds() {
        return estimateSeconds;
    }
}
