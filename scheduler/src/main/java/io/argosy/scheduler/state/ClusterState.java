package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes and their pods as the scheduler believes them to be: what the informers told, plus the pods it has just placed itself.
 * Belongs to the scheduling thread alone, so there is nothing to lock or copy.
 */
public final class ClusterState {
    private final Map<String, NodeInfo> byName = new HashMap<>();
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final Map<String, String> nodeOfPod = new HashMap<>();

    /** The nodes that exist, in the order in which they came. */
    public List<NodeInfo> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    public void setNode(Node node) {
        NodeInfo info = byName.computeIfAbsent(node.getMetadata().getName(), NodeInfo::new);
        boolean known = info.node() != null;
        info.setNode(node);
        if (!known) {
            nodes.add(info);
        }
    }

    public void removeNode(String name) {
        NodeInfo info = byName.get(name);
        if (info == null) {
            return;
        }
        info.setNode(null);
        nodes.remove(info);
        if (info.isEmpty()) {
            byName.remove(name);
        }
    }

    /** Puts a pod on a node, whether it was seen there or is only about to be bound; moves it if it stood on another. */
    public void place(PodInfo pod, String node) {
        String before = nodeOfPod.put(pod.uid(), node);
        if (before != null && !before.equals(node)) {
            take(before, pod.uid());
        }
        byName.computeIfAbsent(node, NodeInfo::new).add(pod);
    }

    /** True if the pod stood on a node. */
    public boolean remove(String podUid) {
        String node = nodeOfPod.remove(podUid);
        return node != null && take(node, podUid);
    }

    public boolean isPlaced(String podUid) {
        return nodeOfPod.containsKey(podUid);
    }

    private boolean take(String node, String podUid) {
        NodeInfo info = byName.get(node);
        boolean taken = info != null && info.remove(podUid);
        if (info != null && info.node() == null && info.isEmpty()) {
            byName.remove(node);
        }
        return taken;
    }
}
