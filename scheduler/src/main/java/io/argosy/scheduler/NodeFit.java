package io.argosy.scheduler;

import io.argosy.client.Tolerations;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.NodeAffinity;
import io.argosy.scheduler.plugin.NodePorts;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Resource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a node can take a pod that was sent to it, by the rules that nodes are chosen by: whoever names a node himself goes round the
 * scheduler, not round the node. In the words of a node's agent, which asks this before a pod begins.
 */
public final class NodeFit {
    private static final List<Filter> FILTERS = List.of(new NodeAffinity(), new NodePorts());

    private NodeFit() {}

    /** What is in the way, by the names that a pod's status has for it. */
    public record Misfit(String reason, String message) {}

    /** Looks at the node as it is with the other pods that are on it. */
    public static Optional<Misfit> check(Node node, Collection<Pod> others, Pod pod) {
        ClusterState state = new ClusterState();
        NodeInfo place = state.setNode(node);
        others.forEach(other -> place.add(new PodInfo(other)));
        PodInfo wanted = new PodInfo(pod);
        return shortage(wanted.requests(), place)
                .or(() -> FILTERS.stream()
                        .flatMap(filter -> rejection(filter, wanted, place, state).stream())
                        .findFirst())
                .or(() -> taint(wanted, place));
    }

    private static Optional<Misfit> shortage(Resource wanted, NodeInfo node) {
        Resource all = node.allocatable();
        Optional<Misfit> shortage = lacks("pods", 1, node.podCount(), node.allowedPods())
                .or(() -> lacks("cpu", wanted.cpu(), node.cpu(), all.cpu()))
                .or(() -> lacks("memory", wanted.memory(), node.memory(), all.memory()))
                .or(() -> lacks(
                        "ephemeral-storage",
                        wanted.ephemeralStorage(),
                        node.ephemeralStorage(),
                        all.ephemeralStorage()));
        for (Map.Entry<String, Long> other : wanted.others().entrySet()) {
            String resource = other.getKey();
            Long there = all.others().get(resource);
            if (shortage.isEmpty() && there != null) { // of what no node has, others keep count
                shortage = lacks(resource, other.getValue(), node.other(resource), there);
            }
        }
        return shortage;
    }

    private static Optional<Misfit> lacks(String resource, long wanted, long used, long all) {
        return wanted == 0 || wanted <= all - used
                ? Optional.empty()
                : Optional.of(new Misfit(
                        "OutOf" + resource,
                        "Node didn't have enough resource: " + resource + ", requested: " + wanted + ", used: " + used
                                + ", capacity: " + all));
    }

    private static Optional<Misfit> rejection(Filter filter, PodInfo pod, NodeInfo node, ClusterState state) {
        return Optional.ofNullable(filter.prepare(pod, state))
                .map(check -> check.reject(node))
                .map(rejection -> failed(filter.name(), rejection.reasons().getFirst()));
    }

    private static Optional<Misfit> taint(PodInfo pod, NodeInfo node) {
        boolean driven = node.hardTaints().stream()
                .filter(taint -> "NoExecute".equals(taint.getEffect()))
                .anyMatch(taint -> !Tolerations.allow(pod.tolerations(), taint));
        return driven
                ? Optional.of(failed("TaintToleration", "node(s) had taints that the pod didn't tolerate"))
                : Optional.empty();
    }

    private static Misfit failed(String predicate, String why) {
        return new Misfit(predicate, "Predicate " + predicate + " failed: " + why);
    }
}
