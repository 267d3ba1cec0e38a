package io.argosy.scheduler;

import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** One pod's try to find a node: the filters, prepared for it, and what they say of each node. */
public final class Attempt {
    private final PodInfo pod;
    private final List<Filter> filters = new ArrayList<>();
    private final List<Filter.Check> checks = new ArrayList<>();
    private final List<Filter> narrowing = new ArrayList<>(0);
    private Set<String> named;
    private Refused refusal;

    /** Which filter refused, and in which words. */
    public record Refused(Filter by, Rejection rejection) {}

    Attempt(PodInfo pod, ClusterState cluster, List<Filter> all) {
        this.pod = pod;
        for (Filter filter : all) {
            Filter.Check check = filter.prepare(pod, cluster);
            if (check == null) {
                continue;
            }
            if (check.refusal() != null) {
                refusal = new Refused(filter, check.refusal());
                return;
            }
            filters.add(filter);
            checks.add(check);
            if (check.nodes() != null) {
                narrow(filter, check.nodes());
            }
        }
    }

    private void narrow(Filter filter, Set<String> nodes) {
        narrowing.add(filter);
        if (named == null) {
            named = new TreeSet<>(nodes);
        } else {
            named.retainAll(nodes);
        }
    }

    /** The nodes worth looking at: all, or those there are of the few that filters name. */
    List<NodeInfo> among(ClusterState cluster) {
        return named == null
                ? cluster.nodes()
                : named.stream().map(cluster::node).filter(Objects::nonNull).toList();
    }

    /** The filters that name the few nodes worth looking at. */
    List<Filter> narrowing() {
        return narrowing;
    }

    public PodInfo pod() {
        return pod;
    }

    /** Why no node will do, whichever it is; null when it depends on the node. */
    Refused refusal() {
        return refusal;
    }

    /**
     * Null when the pod may go there. Pods for which the node is being cleared, and which are no less important, count as if they
     * stood there already; but since they may end up elsewhere, the pod must also do without them.
     */
    public Refused reject(NodeInfo node) {
        if (!node.nominated().isEmpty()) {
            List<PodInfo> supposed = node.nominated().stream()
                    .filter(other ->
                            other.priority() >= pod.priority() && !other.uid().equals(pod.uid()))
                    .toList();
            if (!supposed.isEmpty()) {
                supposed.forEach(other -> add(other, node));
                Refused refused = check(node);
                supposed.forEach(other -> remove(other, node));
                if (refused != null) {
                    return refused;
                }
            }
        }
        return check(node);
    }

    /** Supposes that a pod stood on the node, until it is removed again. */
    public void add(PodInfo other, NodeInfo node) {
        node.add(other);
        for (Filter.Check check : checks) {
            check.added(other, node);
        }
    }

    /** Supposes that a pod were gone from the node, until it is added again. */
    public void remove(PodInfo other, NodeInfo node) {
        node.remove(other.uid());
        for (Filter.Check check : checks) {
            check.removed(other, node);
        }
    }

    /** What has to be done elsewhere before the pod can be bound to this node. */
    List<Filter.Preparation> preparations(NodeInfo node) {
        List<Filter.Preparation> found = new ArrayList<>(0);
        for (Filter.Check check : checks) {
            Filter.Preparation preparation = check.preparation(node);
            if (preparation != null) {
                found.add(preparation);
            }
        }
        return found;
    }

    private Refused check(NodeInfo node) {
        for (int i = 0; i < checks.size(); i++) {
            Rejection rejection = checks.get(i).reject(node);
            if (rejection != null) {
                return new Refused(filters.get(i), rejection);
            }
        }
        return null;
    }
}
