package io.argosy.server.authz.node;

import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The pods of every node, kept up to date change by change. What a pod refers to is looked up when the first question is about its node:
 * a change costs a map entry, and most pods are never asked about.
 */
final class NodePods {
    private static final String NODE = "spec.nodeName";

    private final Map<String, Map<String, Placed>> byNode = new ConcurrentHashMap<>();

    /** A pod that was given to a node. */
    private static final class Placed {
        private final CachedObject pod;
        private volatile PodReferences references;

        Placed(CachedObject pod) {
            this.pod = pod;
        }

        /** Read twice where two ask at once; both read the same. */
        PodReferences references() {
            PodReferences known = references;
            if (known == null) {
                known = PodReferences.of(Json.decodeObject(pod.json()));
                references = known;
            }
            return known;
        }
    }

    void changed(Change change) {
        String before = change.previous() == null ? "" : node(change.previous());
        String after = change.deleted() ? "" : node(change.current());
        String key = change.current().key();
        if (!after.isEmpty()) {
            byNode.computeIfAbsent(after, name -> new ConcurrentHashMap<>()).put(key, new Placed(change.current()));
        }
        if (!before.isEmpty() && !before.equals(after)) {
            byNode.computeIfPresent(before, (name, pods) -> {
                pods.remove(key);
                return pods.isEmpty() ? null : pods;
            });
        }
    }

    private static String node(CachedObject pod) {
        return pod.fields().getOrDefault(NODE, "");
    }

    boolean has(String node, String namespace, String name) {
        return byNode.getOrDefault(node, Map.of()).containsKey(namespace + "/" + name);
    }

    /** Whether a pod that the node was given, in that namespace, refers to something; what is known already is asked first. */
    boolean refers(String node, String namespace, Predicate<PodReferences> test) {
        Collection<Placed> pods = byNode.getOrDefault(node, Map.of()).values();
        for (boolean known : new boolean[] {true, false}) {
            for (Placed placed : pods) {
                if (placed.pod.namespace().equals(namespace)
                        && (placed.references != null) == known
                        && isReferring(placed, test)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isReferring(Placed placed, Predicate<PodReferences> test) {
        PodReferences references = placed.references();
        return !references.mirror() && test.test(references);
    }

    /** A claim for a volume that some pod makes. */
    @FunctionalInterface
    interface ClaimTest {
        boolean test(String namespace, String claim);
    }

    /** Whether a claim of one of the node's pods, in whichever namespace, passes the test. */
    boolean claims(String node, ClaimTest test) {
        for (Placed placed : byNode.getOrDefault(node, Map.of()).values()) {
            PodReferences references = placed.references();
            if (!references.mirror()
                    && references.claims().stream().anyMatch(claim -> test.test(placed.pod.namespace(), claim))) {
                return true;
            }
        }
        return false;
    }
}
