package io.argosy.controllers.garbagecollector;

import io.argosy.controllers.catalog.ObjectMetas.Owner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who owns whom, over all kinds. One thread writes; any number may read, and see nodes that never change. Dependents are found by
 * the owner's uid, whether or not the owner itself has been seen.
 */
final class DependencyGraph {
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> dependents = new ConcurrentHashMap<>();

    /**
     * What a change asks for.
     *
     * @param examine objects whose right to exist is in question
     * @param orphan objects whose dependents are to be set free
     * @param strays objects whose owner lives in another namespace, with that owner's reference
     */
    record Consequences(List<String> examine, List<String> orphan, List<Stray> strays) {
        static Consequences none() {
            return new Consequences(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    record Stray(Node dependent, Owner owner) {}

    Node get(String uid) {
        return nodes.get(uid);
    }

    Collection<Node> all() {
        return nodes.values();
    }

    int size() {
        return nodes.size();
    }

    List<Node> dependentsOf(String uid) {
        List<Node> found = new ArrayList<>();
        for (String dependent : dependents.getOrDefault(uid, Set.of())) {
            Node node = nodes.get(dependent);
            if (node != null) {
                found.add(node);
            }
        }
        return found;
    }

    boolean hasDependents(String uid) {
        return !dependents.getOrDefault(uid, Set.of()).isEmpty();
    }

    /** Takes in an object that was added or changed. */
    Consequences observe(Node node) {
        Consequences then = Consequences.none();
        Node before = nodes.put(node.uid(), node);
        List<Owner> ownersBefore = before == null ? List.of() : before.owners();
        if (!node.owners().equals(ownersBefore)) {
            relate(node, ownersBefore, then);
        }
        if (before == null) {
            findStrays(node, then);
        }
        if (node.orphaning() && (before == null || !before.orphaning())) {
            then.orphan().add(node.uid());
        } else if (node.foreground() && (before == null || !before.foreground())) {
            dependentsOf(node.uid()).forEach(dependent -> then.examine().add(dependent.uid()));
            then.examine().add(node.uid());
        }
        return then;
    }

    private void relate(Node node, List<Owner> ownersBefore, Consequences then) {
        for (Owner owner : node.owners()) {
            dependents
                    .computeIfAbsent(owner.uid(), uid -> ConcurrentHashMap.newKeySet(1))
                    .add(node.uid());
            if (ownersBefore.stream().noneMatch(old -> old.uid().equals(owner.uid()))) {
                Node known = nodes.get(owner.uid());
                if (known == null || !known.isMeantBy(owner, node.namespace())) {
                    then.examine().add(node.uid());
                }
                if (known != null && isStray(node, known)) {
                    then.strays().add(new Stray(node, owner));
                }
                if (known != null && known.foreground()) {
                    then.examine().add(node.uid());
                }
            }
        }
        for (Owner old : ownersBefore) {
            Owner now = node.owners().stream()
                    .filter(owner -> owner.uid().equals(old.uid()))
                    .findFirst()
                    .orElse(null);
            if (now == null) {
                separate(old.uid(), node.uid());
            }
            if (old.blocksDeletion() && (now == null || !now.blocksDeletion())) {
                then.examine().add(old.uid());
            }
        }
    }

    /** Dependents that came before their owner were taken at their word; now it shows whether they meant this one. */
    private void findStrays(Node owner, Consequences then) {
        for (Node dependent : dependentsOf(owner.uid())) {
            for (Owner reference : dependent.owners()) {
                if (reference.uid().equals(owner.uid()) && !owner.isMeantBy(reference, dependent.namespace())) {
                    then.examine().add(dependent.uid());
                    if (isStray(dependent, owner)) {
                        then.strays().add(new Stray(dependent, reference));
                    }
                }
            }
        }
    }

    private static boolean isStray(Node dependent, Node owner) {
        return owner.resource().namespaced() && !owner.namespace().equals(dependent.namespace());
    }

    /** Takes out an object that is gone: its dependents are in question, and an owner that waited for it may go. */
    Consequences forget(String uid) {
        Consequences then = Consequences.none();
        Node gone = nodes.remove(uid);
        dependentsOf(uid).forEach(dependent -> then.examine().add(dependent.uid()));
        if (gone != null) {
            for (Owner owner : gone.owners()) {
                separate(owner.uid(), uid);
                Node waiting = nodes.get(owner.uid());
                if (waiting != null && waiting.foreground()) {
                    then.examine().add(waiting.uid());
                }
            }
        }
        return then;
    }

    private void separate(String owner, String dependent) {
        dependents.computeIfPresent(owner, (uid, set) -> {
            set.remove(dependent);
            return set.isEmpty() ? null : set;
        });
    }
}
