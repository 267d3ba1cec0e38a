package io.argosy.scheduler;

import io.argosy.scheduler.plugin.ClusterChange;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Why a pod fits nowhere: how many nodes gave which reason, and which changes are worth another try. */
public final class Diagnosis {
    private final int nodes;
    private final boolean neverPreempts;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<ClusterChange> wakesOn = EnumSet.of(ClusterChange.NODE_ADDED);
    private int finals;

    Diagnosis(int nodes, PodInfo pod) {
        this.nodes = nodes;
        neverPreempts = "Never".equals(pod.pod().getSpec().getPreemptionPolicy());
    }

    void add(Filter filter, Rejection rejection) {
        for (String reason : rejection.reasons()) {
            reasons.merge(reason, 1, Integer::sum);
        }
        wakesOn.addAll(filter.wakesOn());
        if (rejection.isFinal()) {
            finals++;
        }
    }

    public boolean wakesOn(ClusterChange change) {
        return wakesOn.contains(change);
    }

    /** The words of Kubernetes v1.35. */
    public String message() {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        return "0/" + nodes + " nodes are available: " + histogram(reasons)
                + ". no new claims to deallocate, preemption: " + preemption();
    }

    private String preemption() {
        if (neverPreempts) {
            return "not eligible due to preemptionPolicy=Never.";
        }
        Map<String, Integer> outcome = new HashMap<>();
        if (finals > 0) {
            outcome.put("Preemption is not helpful for scheduling", finals);
        }
        if (nodes > finals) {
            outcome.put("No preemption victims found for incoming pod", nodes - finals);
        }
        return "0/" + nodes + " nodes are available: " + histogram(outcome) + ".";
    }

    private static String histogram(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
