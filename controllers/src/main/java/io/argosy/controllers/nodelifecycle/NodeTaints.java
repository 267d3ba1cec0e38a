package io.argosy.controllers.nodelifecycle;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The taints that say what is wrong with a node: those that keep pods away, and those that drive them out. */
final class NodeTaints {
    static final String NOT_READY = "node.kubernetes.io/not-ready";
    static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
    private static final Map<String, String> TROUBLES = Map.of(
            "MemoryPressure", "node.kubernetes.io/memory-pressure",
            "DiskPressure", "node.kubernetes.io/disk-pressure",
            "PIDPressure", "node.kubernetes.io/pid-pressure",
            "NetworkUnavailable", "node.kubernetes.io/network-unavailable");
    private static final Set<String> DRIVING = Set.of(NOT_READY, UNREACHABLE);
    private static final Set<String> OWN = own();

    private NodeTaints() {}

    private static Set<String> own() {
        Set<String> own = new HashSet<>(TROUBLES.values());
        own.addAll(DRIVING);
        own.add(UNSCHEDULABLE);
        return own;
    }

    /** The key of the taint that drives pods from this node, or null for one that is ready. */
    static String trouble(Node node) {
        return switch (NodeConditions.readiness(node)) {
            case "True" -> null;
            case "False" -> NOT_READY;
            default -> UNREACHABLE;
        };
    }

    static boolean drives(Node node) {
        return taints(node).stream().anyMatch(NodeTaints::isDriving);
    }

    static List<Taint> taints(Node node) {
        return node.getSpec() == null || node.getSpec().getTaints() == null
                ? List.of()
                : node.getSpec().getTaints();
    }

    /**
     * The node's taints as they should be; those that somebody else put there stay.
     *
     * @param driving the key of the one taint that drives pods out, or null for none
     */
    static List<Taint> wanted(Node node, String driving, Instant now) {
        Set<String> keeping = keepingAway(node);
        List<Taint> wanted = new ArrayList<>();
        for (Taint taint : taints(node)) {
            boolean ours = OWN.contains(taint.getKey()) && "NoSchedule".equals(taint.getEffect());
            if (ours) {
                if (keeping.remove(taint.getKey())) {
                    wanted.add(taint);
                }
            } else if (!isDriving(taint) || taint.getKey().equals(driving)) {
                wanted.add(taint);
            }
        }
        keeping.stream().sorted().forEach(key -> wanted.add(taint(key, "NoSchedule", now)));
        boolean driven = wanted.stream()
                .anyMatch(taint -> isDriving(taint) && taint.getKey().equals(driving));
        if (driving != null && !driven) {
            wanted.add(taint(driving, "NoExecute", now));
        }
        return wanted;
    }

    private static Set<String> keepingAway(Node node) {
        Set<String> keys = new HashSet<>();
        if (NodeConditions.ready(node).isPresent() && trouble(node) != null) {
            keys.add(trouble(node));
        }
        TROUBLES.forEach((type, key) -> {
            if (Nodes.condition(node, type)
                    .map(NodeCondition::getStatus)
                    .filter("True"::equals)
                    .isPresent()) {
                keys.add(key);
            }
        });
        if (node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
            keys.add(UNSCHEDULABLE);
        }
        return keys;
    }

    private static boolean isDriving(Taint taint) {
        return "NoExecute".equals(taint.getEffect()) && DRIVING.contains(taint.getKey());
    }

    private static Taint taint(String key, String effect, Instant now) {
        return new TaintBuilder()
                .withKey(key)
                .withEffect(effect)
                .withTimeAdded(Timestamps.format(now))
                .build();
    }
}
