package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which pods a pod wants near or far, and what near means. Equal terms, such as those of all replicas of one workload, are one
 * value, so that they are looked at once however many pods carry them.
 */
public record AffinityTerm(Set<String> namespaces, Selector namespaceSelector, Selector selector, String topologyKey) {
    /** A term and how much it counts; less than nothing where pods keep away from each other. */
    public record Weighted(AffinityTerm term, int weight) {}

    static AffinityTerm of(PodAffinityTerm term, String namespace, Map<String, String> podLabels) {
        List<String> named = term.getNamespaces();
        boolean own = (named == null || named.isEmpty()) && term.getNamespaceSelector() == null;
        Selector selector = Selector.of(term.getLabelSelector());
        if (!selector.matchesNothing()) {
            selector = selector.andLike(podLabels, term.getMatchLabelKeys(), Selector.Operator.IN)
                    .andLike(podLabels, term.getMismatchLabelKeys(), Selector.Operator.NOT_IN);
        }
        return new AffinityTerm(
                own ? Set.of(namespace) : named == null ? Set.of() : Set.copyOf(named),
                Selector.of(term.getNamespaceSelector()),
                selector,
                term.getTopologyKey());
    }

    /** Whether the pod is one of those meant; its namespace's labels are looked at only where a selector asks for them. */
    public boolean matches(PodInfo pod, ClusterState cluster) {
        return (namespaces.contains(pod.namespace())
                        || !namespaceSelector.matchesNothing()
                                && namespaceSelector.matches(cluster.namespaceLabels(pod.namespace())))
                && selector.matches(pod.labels());
    }
}
