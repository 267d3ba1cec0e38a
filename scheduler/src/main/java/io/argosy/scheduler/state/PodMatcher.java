package io.argosy.scheduler.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which placed pods are counted: those that every one of the targets means. */
public record PodMatcher(List<Target> targets, boolean countsTerminating) {
    /** Pods of some namespaces with some labels; null stands for all namespaces. */
    record Target(Set<String> namespaces, Selector selector) {
        boolean matches(PodInfo pod) {
            return (namespaces == null || namespaces.contains(pod.namespace())) && selector.matches(pod.labels());
        }
    }

    /** Pods of one namespace that are not on their way out, as topology spread counts them. */
    public static PodMatcher spread(String namespace, Selector selector) {
        return new PodMatcher(List.of(new Target(Set.of(namespace), selector)), false);
    }

    /** Pods that all the terms mean, whatever their state. */
    public static PodMatcher affinity(List<AffinityTerm> terms, ClusterState cluster) {
        List<Target> targets = new ArrayList<>(terms.size());
        for (AffinityTerm term : terms) {
            Target target = new Target(namespaces(term, cluster), term.selector());
            if (!targets.contains(target)) {
                targets.add(target);
            }
        }
        return new PodMatcher(List.copyOf(targets), true);
    }

    public boolean matches(PodInfo pod) {
        if (!countsTerminating && pod.isTerminating()) {
            return false;
        }
        for (Target target : targets) {
            if (!target.matches(pod)) {
                return false;
            }
        }
        return true;
    }

    private static Set<String> namespaces(AffinityTerm term, ClusterState cluster) {
        if (term.namespaceSelector().isEmpty()) {
            return null;
        }
        return term.namespaceSelector().matchesNothing()
                ? term.namespaces()
                : cluster.namespaces(term.namespaces(), term.namespaceSelector());
    }
}
