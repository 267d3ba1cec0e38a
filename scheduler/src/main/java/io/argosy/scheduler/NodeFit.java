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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Whether a node can take a pod that was sent to it, by the rules that nodes are chosen by: whoever names a node himself goes round the
 * scheduler, not round the node. In the words of a node's agent, which asks this before a pod begins.
 */
public final class NodeFit {
    private static final List<Filter> FILTERS = List.of(new NodeAffinity(), new NodePorts());

    private NodeFit() {}

    /**
     * What is in the way, by the names that a pod's status has for it.
     *
     * @param lacking what would have to be freed, if that is all that is in the way
     */
    public record Misfit(String reason, String message, Optional<Lack> lacking) {}

    /** An amount in thousandths of a processor, bytes, or pieces. */
    public record Lack(String resource, long amount) {}

    /** Looks at the node as it is with the other pods that are on it; all that is in the way. */
    public static List<Misfit> check(Node node, Collection<Pod> others, Pod pod) {
        ClusterState state = new ClusterState();
        NodeInfo place = state.setNode(node);
        others.forEach(other -> place.add(new PodInfo(other)));
        PodInfo wanted = new PodInfo(pod);
        List<Misfit> found = told(node) ? shortages(wanted.requests(), place) : new ArrayList<>();
        FILTERS.forEach(filter -> rejection(filter, wanted, place, state).ifPresent(found::add));
        taint(wanted, place).ifPresent(found::add);
        return found;
    }

    /** A node that has just been registered has yet to say what it has, and no pod fails for that. */
    private static boolean told(Node node) {
        return node.getStatus() != null
                && node.getStatus().getAllocatable() != null
                && !node.getStatus().getAllocatable().isEmpty();
    }

    private static List<Misfit> shortages(Resource wanted, NodeInfo node) {
        Resource all = node.allocatable();
        List<Misfit> found = new ArrayList<>();
        lacks("pods", 1, node.podCount(), node.allowedPods()).ifPresent(found::add);
        lacks("cpu", wanted.cpu(), node.cpu(), all.cpu()).ifPresent(found::add);
        lacks("memory", wanted.memory(), node.memory(), all.memory()).ifPresent(found::add);
        lacks("ephemeral-storage", wanted.ephemeralStorage(), node.ephemeralStorage(), all.ephemeralStorage())
                .ifPresent(found::add);
        for (Map.Entry<String, Long> other : new TreeMap<>(wanted.others()).entrySet()) {
            String resource = other.getKey();
            Long there = all.others().get(resource);
            if (there != null || !extended(resource)) { // of what no node has, others keep count
                lacks(resource, other.getValue(), node.other(resource), there == null ? 0 : there)
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    /** Whether somebody else than Kubernetes gave it its name. */
    private static boolean extended(String resource) {
        return resource.contains("/") && !resource.contains("kubernetes.io/");
    }

    private static Optional<Misfit> lacks(String resource, long wanted, long used, long all) {
        return wanted == 0 || wanted <= all - used
                ? Optional.empty()
                : Optional.of(new Misfit(
                        "OutOf" + resource,
                        "Node didn't have enough resource: " + resource + ", requested: " + wanted + ", used: " + used
                                + ", capacity: " + all,
                        Optional.of(new Lack(resource, wanted - (all - used)))));
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
        return new Misfit(predicate, "Predicate " + predicate + " failed: " + why, Optional.empty());
    }
}
