package io.argosy.scheduler.state;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes and their pods as the scheduler believes them to be: what the informers told, plus the pods it has just placed itself.
 * Belongs to the scheduling thread alone, so there is nothing to lock or copy. What takes long to find out over all pods, such as
 * how many of a kind stand where, is kept and brought up to date with every pod that comes or goes.
 */
public final class ClusterState {
    private static final int REMEMBERED_COUNTS = 256;

    private final Map<String, NodeInfo> byName = new HashMap<>();
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final Map<String, String> nodeOfPod = new HashMap<>();
    private final Map<String, String> nominations = new HashMap<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private int slots;
    private final Map<String, Integer> nodesWithImage = new HashMap<>();
    private final Map<NamespacedName, Integer> usersOfClaim = new HashMap<>();
    private final Map<String, Map<String, String>> namespaces = new HashMap<>();
    /** Counts somebody asked for lately. */
    private final Map<PodMatcher, NodeCounts> counts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PodMatcher, NodeCounts> eldest) {
            return size() > REMEMBERED_COUNTS;
        }
    };
    /** Where the pods stand that must be kept apart from others, by what they must be kept apart from. */
    private final Map<AffinityTerm, NodeCounts> repelling = new HashMap<>();
    /** Where the pods stand that had better be near to, or far from, others. */
    private final Map<AffinityTerm.Weighted, NodeCounts> attracting = new HashMap<>();

    // ---- nodes ----

    /** The nodes that exist, in the order in which they came. */
    public List<NodeInfo> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    /** The node of that name, or null if it does not exist. */
    public NodeInfo node(String name) {
        NodeInfo info = byName.get(name);
        return info == null || info.node() == null ? null : info;
    }

    public NodeInfo setNode(Node node) {
        NodeInfo info = info(node.getMetadata().getName());
        boolean known = info.node() != null;
        Map<String, String> labelsBefore = info.labels();
        countImages(info, -1);
        info.setNode(node);
        countImages(info, 1);
        if (!known) {
            nodes.add(info);
        }
        if (!known || !labelsBefore.equals(info.labels())) {
            forgetTopologies();
        }
        return info;
    }

    public void removeNode(String name) {
        NodeInfo info = byName.get(name);
        if (info == null) {
            return;
        }
        countImages(info, -1);
        info.setNode(null);
        nodes.remove(info);
        forgetTopologies();
        dropIfEmpty(info);
    }

    /** On how many nodes an image lies. */
    public int nodesWithImage(String image) {
        return nodesWithImage.getOrDefault(image, 0);
    }

    // ---- pods ----

    /**
     * Puts a pod on a node, whether it was seen there or is only about to be bound; moves it if it stood on another. What it was
     * before, or null if it stood nowhere.
     */
    public PodInfo place(PodInfo pod, String node) {
        denominate(pod.uid());
        String nodeBefore = nodeOfPod.put(pod.uid(), node);
        PodInfo before = nodeBefore == null ? null : take(nodeBefore, pod.uid());
        NodeInfo info = info(node);
        info.add(pod);
        count(pod, info, 1);
        return before;
    }

    /** The pod as it stood on its node, or null if it did not. */
    public PodInfo remove(String podUid) {
        denominate(podUid);
        String node = nodeOfPod.remove(podUid);
        return node == null ? null : take(node, podUid);
    }

    public boolean isPlaced(String podUid) {
        return nodeOfPod.containsKey(podUid);
    }

    /** How many placed pods mount a claim. */
    public int usersOfClaim(String namespace, String claim) {
        return usersOfClaim.getOrDefault(NamespacedName.of(namespace, claim), 0);
    }

    // ---- nominations ----

    /** Notes that a node is being cleared for a pod, in place of any other node. */
    public void nominate(PodInfo pod, String node) {
        denominate(pod.uid());
        nominations.put(pod.uid(), node);
        info(node).nominate(pod);
    }

    public void denominate(String podUid) {
        String node = nominations.remove(podUid);
        NodeInfo info = node == null ? null : byName.get(node);
        if (info != null) {
            info.denominate(podUid);
            dropIfEmpty(info);
        }
    }

    /** The node that is being cleared for the pod, or an empty string. */
    public String nomination(String podUid) {
        return nominations.getOrDefault(podUid, "");
    }

    // ---- namespaces ----

    public void setNamespace(String name, Map<String, String> labels) {
        namespaces.put(name, labels == null ? Map.of() : labels);
    }

    public void removeNamespace(String name) {
        namespaces.remove(name);
    }

    Map<String, String> namespaceLabels(String name) {
        return namespaces.getOrDefault(name, Map.of());
    }

    /** Those named, and those whose labels match. */
    Set<String> namespaces(Set<String> named, Selector selector) {
        Set<String> found = new HashSet<>(named);
        namespaces.forEach((name, labels) -> {
            if (selector.matches(labels)) {
                found.add(name);
            }
        });
        return found;
    }

    // ---- counts ----

    /** How many pods of a kind stand where. */
    public NodeCounts count(PodMatcher matcher) {
        NodeCounts found = counts.get(matcher);
        if (found == null) {
            found = new NodeCounts(nodes);
            for (NodeInfo node : byName.values()) {
                for (PodInfo pod : node.pods()) {
                    if (matcher.matches(pod)) {
                        found.adjust(node, 1);
                    }
                }
            }
            counts.put(matcher, found);
        }
        return found;
    }

    /** What placed pods must not have near them, and where they stand. */
    public Map<AffinityTerm, NodeCounts> repelling() {
        return repelling;
    }

    /** What placed pods like to have near or far, and where they stand. */
    public Map<AffinityTerm.Weighted, NodeCounts> attracting() {
        return attracting;
    }

    private void count(PodInfo pod, NodeInfo node, int by) {
        counts.forEach((matcher, found) -> {
            if (matcher.matches(pod)) {
                found.adjust(node, by);
            }
        });
        for (PodInfo.ClaimUse use : pod.claims()) {
            usersOfClaim.merge(
                    NamespacedName.of(pod.namespace(), use.name()),
                    by,
                    (before, more) -> before + more == 0 ? null : before + more);
        }
        adjust(repelling, pod.antiAffinity(), node, by);
        adjust(attracting, pod.preferredAffinity(), node, by);
        // Who must be near somebody is also glad of him: that counts as the least of preferences.
        for (AffinityTerm term : pod.affinity()) {
            adjust(attracting, List.of(new AffinityTerm.Weighted(term, 1)), node, by);
        }
    }

    private <T> void adjust(Map<T, NodeCounts> index, Collection<T> terms, NodeInfo node, int by) {
        for (T term : terms) {
            NodeCounts found = index.computeIfAbsent(term, key -> new NodeCounts(nodes));
            found.adjust(node, by);
            if (found.isEmpty()) {
                index.remove(term);
            }
        }
    }

    private void forgetTopologies() {
        counts.values().forEach(NodeCounts::forgetTopologies);
        repelling.values().forEach(NodeCounts::forgetTopologies);
        attracting.values().forEach(NodeCounts::forgetTopologies);
    }

    private void countImages(NodeInfo node, int by) {
        if (node.node() != null) {
            node.images()
                    .keySet()
                    .forEach(image -> nodesWithImage.merge(
                            image, by, (before, more) -> before + more == 0 ? null : before + more));
        }
    }

    private NodeInfo info(String name) {
        return byName.computeIfAbsent(name, key -> new NodeInfo(key, freeSlots.isEmpty() ? slots++ : freeSlots.pop()));
    }

    private PodInfo take(String node, String podUid) {
        NodeInfo info = byName.get(node);
        PodInfo pod = info == null ? null : info.remove(podUid);
        if (pod != null) {
            count(pod, info, -1);
            dropIfEmpty(info);
        }
        return pod;
    }

    private void dropIfEmpty(NodeInfo info) {
        if (info.node() == null && info.isEmpty() && byName.remove(info.name(), info)) {
            freeSlots.push(info.slot());
        }
    }
}
