package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.AffinityTerm;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeCounts;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.PodMatcher;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keeps pods near to those they must be near, far from those they must be far from, and from those that say so of them. */
public final class InterPodAffinity implements Filter {
    private static final Rejection NOT_NEAR = Rejection.forGood("node(s) didn't match pod affinity rules");
    private static final Rejection NOT_FAR = Rejection.forNow("node(s) didn't match pod anti-affinity rules");
    private static final Rejection UNWANTED =
            Rejection.forNow("node(s) didn't satisfy existing pods anti-affinity rules");

    @Override
    public String name() {
        return "InterPodAffinity";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        List<Places> repelledBy = new ArrayList<>(0);
        cluster.repelling().forEach((term, counts) -> {
            if (term.matches(pod, cluster)) {
                repelledBy.add(new Places(term, counts.by(term.topologyKey())));
            }
        });
        if (repelledBy.isEmpty()
                && pod.affinity().isEmpty()
                && pod.antiAffinity().isEmpty()) {
            return null;
        }
        return new Rules(pod, cluster, repelledBy);
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(
                ClusterEvent.Kind.NODE_ADDED,
                ClusterEvent.Kind.NODE_LABELS,
                ClusterEvent.Kind.POD_PLACED,
                ClusterEvent.Kind.POD_RELABELLED,
                ClusterEvent.Kind.POD_GONE,
                ClusterEvent.Kind.NAMESPACE);
    }

    /** A pod that came helps who wants to be near it; one that went, who had to be far from it or was kept away by it. */
    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        if (!(event instanceof ClusterEvent.OfPod(var kind, var other)) || kind == ClusterEvent.Kind.POD_RELABELLED) {
            return true;
        }
        if (kind == ClusterEvent.Kind.POD_PLACED) {
            return matchesAll(pod.affinity(), other, cluster);
        }
        return matchesAny(pod.antiAffinity(), other, cluster)
                || matchesAny(other.antiAffinity(), pod, cluster)
                || matchesAll(pod.affinity(), other, cluster);
    }

    private static boolean matchesAll(List<AffinityTerm> terms, PodInfo pod, ClusterState cluster) {
        for (AffinityTerm term : terms) {
            if (!term.matches(pod, cluster)) {
                return false;
            }
        }
        return !terms.isEmpty();
    }

    private static boolean matchesAny(List<AffinityTerm> terms, PodInfo pod, ClusterState cluster) {
        for (AffinityTerm term : terms) {
            if (term.matches(pod, cluster)) {
                return true;
            }
        }
        return false;
    }

    /** Where the pods of a term stand, with what would be different if some pods were not there, or others were. */
    private static final class Places {
        private final AffinityTerm term;
        private final Map<String, Integer> counts;
        private final Map<String, Integer> supposed = new HashMap<>(0);

        Places(AffinityTerm term, Map<String, Integer> counts) {
            this.term = term;
            this.counts = counts;
        }

        int near(NodeInfo node) {
            String value = node.labels().get(term.topologyKey());
            return value == null ? 0 : counts.getOrDefault(value, 0) + supposed.getOrDefault(value, 0);
        }

        boolean isEmpty() {
            if (supposed.isEmpty()) {
                return counts.isEmpty();
            }
            int sum = 0;
            for (int count : counts.values()) {
                sum += count;
            }
            for (int count : supposed.values()) {
                sum += count;
            }
            return sum <= 0;
        }

        void suppose(NodeInfo node, int by) {
            String value = node.labels().get(term.topologyKey());
            if (value != null) {
                supposed.merge(value, by, (before, more) -> before + more == 0 ? null : before + more);
            }
        }
    }

    /** The rules of one pod and those of others about it. */
    private static final class Rules implements Check {
        private final PodInfo pod;
        private final ClusterState cluster;
        private final List<Places> near = new ArrayList<>(1);
        private final List<Places> far = new ArrayList<>(1);
        private final List<Places> repelledBy;
        private final boolean firstOfItsKind;

        Rules(PodInfo pod, ClusterState cluster, List<Places> repelledBy) {
            this.pod = pod;
            this.cluster = cluster;
            this.repelledBy = repelledBy;
            if (!pod.affinity().isEmpty()) {
                NodeCounts wanted = cluster.count(PodMatcher.affinity(pod.affinity(), cluster));
                pod.affinity().forEach(term -> near.add(new Places(term, wanted.by(term.topologyKey()))));
            }
            for (AffinityTerm term : pod.antiAffinity()) {
                NodeCounts unwanted = cluster.count(PodMatcher.affinity(List.of(term), cluster));
                far.add(new Places(term, unwanted.by(term.topologyKey())));
            }
            firstOfItsKind = matchesAll(pod.affinity(), pod, cluster);
        }

        @Override
        public Rejection reject(NodeInfo node) {
            if (!isNear(node)) {
                return NOT_NEAR;
            }
            for (Places places : far) {
                if (places.near(node) > 0) {
                    return NOT_FAR;
                }
            }
            for (Places places : repelledBy) {
                if (places.near(node) > 0) {
                    return UNWANTED;
                }
            }
            return null;
        }

        /** The first of pods that want to be near each other has nobody to be near to, and may begin anywhere. */
        private boolean isNear(NodeInfo node) {
            boolean all = true;
            boolean nobody = true;
            for (Places places : near) {
                if (!node.labels().containsKey(places.term.topologyKey())) {
                    return false;
                }
                all &= places.near(node) > 0;
                nobody &= places.isEmpty();
            }
            return all || nobody && firstOfItsKind;
        }

        @Override
        public void added(PodInfo other, NodeInfo node) {
            suppose(other, node, 1);
        }

        @Override
        public void removed(PodInfo other, NodeInfo node) {
            suppose(other, node, -1);
        }

        private void suppose(PodInfo other, NodeInfo node, int by) {
            if (matchesAll(pod.affinity(), other, cluster)) {
                near.forEach(places -> places.suppose(node, by));
            }
            for (Places places : far) {
                if (places.term.matches(other, cluster)) {
                    places.suppose(node, by);
                }
            }
            for (AffinityTerm term : other.antiAffinity()) {
                if (term.matches(pod, cluster)) {
                    repelling(term).suppose(node, by);
                }
            }
        }

        private Places repelling(AffinityTerm term) {
            for (Places places : repelledBy) {
                if (places.term.equals(term)) {
                    return places;
                }
            }
            Places places = new Places(term, Map.of());
            repelledBy.add(places);
            return places;
        }
    }
}
