package io.argosy.scheduler.state;

import io.argosy.client.Tolerations;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import java.util.List;
import java.util.Map;

/** How evenly a pod's likes must, or should, be spread over the values of a node label. */
public record SpreadConstraint(
        int maxSkew,
        String topologyKey,
        Selector selector,
        int minDomains,
        boolean honorsAffinity,
        boolean honorsTaints,
        boolean required) {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** What the scheduler leans to when a pod says nothing: a little over nodes, a little over zones. */
    public static List<SpreadConstraint> defaults(Selector likes) {
        return List.of(
                new SpreadConstraint(3, HOSTNAME, likes, 1, true, false, false),
                new SpreadConstraint(5, "topology.kubernetes.io/zone", likes, 1, true, false, false));
    }

    static SpreadConstraint of(TopologySpreadConstraint constraint, Map<String, String> podLabels) {
        Selector selector = Selector.of(constraint.getLabelSelector());
        if (!selector.matchesNothing()) {
            selector = selector.andLike(podLabels, constraint.getMatchLabelKeys(), Selector.Operator.IN);
        }
        return new SpreadConstraint(
                constraint.getMaxSkew() == null ? 1 : constraint.getMaxSkew(),
                constraint.getTopologyKey(),
                selector,
                constraint.getMinDomains() == null ? 1 : constraint.getMinDomains(),
                !"Ignore".equals(constraint.getNodeAffinityPolicy()),
                "Honor".equals(constraint.getNodeTaintsPolicy()),
                !"ScheduleAnyway".equals(constraint.getWhenUnsatisfiable()));
    }

    public boolean isByNode() {
        return topologyKey.equals(HOSTNAME);
    }

    /** Whether a node's pods count at all for this pod. */
    public boolean includes(NodeInfo node, PodInfo pod) {
        return (!honorsAffinity || pod.required().matches(node))
                && (!honorsTaints || Tolerations.allow(pod.tolerations(), node.hardTaints()));
    }
}
