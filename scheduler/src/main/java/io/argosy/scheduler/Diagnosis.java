package io.argosy.scheduler;

import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Why a pod fits nowhere: how many nodes gave which reason, where evicting pods might help, and which events are worth a try. */
public final class Diagnosis {
    private final int nodes;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<Filter> filters = new LinkedHashSet<>();
    private final Set<ClusterEvent.Kind> wakesOn = EnumSet.noneOf(ClusterEvent.Kind.class);
    private final List<NodeInfo> curable = new ArrayList<>();
    private String refusal = "";
    private String preemption = "";

    Diagnosis(int nodes) {
        this.nodes = nodes;
        if (nodes == 0) {
            wakesOn.add(ClusterEvent.Kind.NODE_ADDED);
        }
    }

    void add(NodeInfo node, Attempt.Refused refused) {
        refused.rejection().reasons().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
        blame(refused.by());
        if (!refused.rejection().isFinal()) {
            curable.add(node);
        }
    }

    /** No node was looked at, since none would do. */
    void refuse(Attempt.Refused refused, List<NodeInfo> all) {
        refusal = String.join(", ", refused.rejection().reasons());
        blame(refused.by());
        if (!refused.rejection().isFinal()) {
            curable.addAll(all);
        }
    }

    /** So many nodes were not looked at, since filters had named others. */
    void passedOver(int count, List<Filter> narrowing) {
        narrowing.forEach(this::blame);
        if (count > 0) {
            List<String> names = narrowing.stream().map(Filter::name).sorted().toList();
            reasons.merge("node(s) didn't satisfy plugin(s) [" + String.join(" ", names) + "]", count, Integer::sum);
        }
    }

    private void blame(Filter filter) {
        if (filters.add(filter)) {
            wakesOn.addAll(filter.wakesOn());
        }
    }

    /** The nodes that said no only because of the pods that are there now. */
    public List<NodeInfo> curable() {
        return curable;
    }

    public int nodes() {
        return nodes;
    }

    /** What became of the search for pods that could be evicted, in the words of Kubernetes. */
    void preemption(String words) {
        preemption = words;
    }

    /** Whether an event may have made room for the pod. */
    public boolean wakesOn(ClusterEvent event, PodInfo pod, ClusterState cluster) {
        if (!wakesOn.contains(event.kind())) {
            return false;
        }
        if (filters.isEmpty()) {
            return true;
        }
        for (Filter filter : filters) {
            if (filter.wakesOn().contains(event.kind()) && filter.helps(pod, event, cluster)) {
                return true;
            }
        }
        return false;
    }

    /** The words of Kubernetes v1.35. */
    public String message() {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        String why = noneAvailable(nodes, refusal.isEmpty() ? histogram(reasons) : refusal);
        return preemption.isEmpty() ? why : why + " no new claims to deallocate, preemption: " + preemption;
    }

    /** How it is said that none of so many nodes will do. */
    public static String noneAvailable(int nodes, String why) {
        return "0/" + nodes + " nodes are available: " + why + ".";
    }

    /** Reasons with the number of nodes that gave them, in the order that Kubernetes shows them. */
    public static String histogram(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
