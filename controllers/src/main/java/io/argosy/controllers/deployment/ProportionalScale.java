package io.argosy.controllers.deployment;

import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads a change of size over all sets of a deployment that is in the middle of a rollout, each by its share, so that scaling
 * neither hastens nor undoes the rollout.
 */
final class ProportionalScale {
    private ProportionalScale() {}

    /**
     * The size each active set should have, by name, largest first.
     *
     * @param allowed how many pods there may be in all
     * @param max the deployment's replicas and its surge
     * @param statusReplicas how many pods the deployment last reported, for sets that do not remember its size
     */
    static Map<String, Integer> sizes(List<ReplicaSet> active, int desired, int allowed, int max, int statusReplicas) {
        int toAdd = allowed - ReplicaSets.sum(active, ReplicaSets::size);
        List<ReplicaSet> sets = new ArrayList<>(active);
        Comparator<ReplicaSet> tie = toAdd > 0 ? ReplicaSets.OLDEST_FIRST.reversed() : ReplicaSets.OLDEST_FIRST;
        sets.sort(Comparator.comparing(ReplicaSets::size, Comparator.reverseOrder())
                .thenComparing(tie));

        Map<String, Integer> sizes = new LinkedHashMap<>();
        int added = 0;
        for (ReplicaSet set : sets) {
            int share = 0;
            if (toAdd != added) {
                int fraction = fraction(set, desired, max, statusReplicas);
                share = toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
            }
            added += share;
            sizes.put(set.getMetadata().getName(), ReplicaSets.size(set) + share);
        }
        if (!sets.isEmpty()) {
            int leftover = toAdd - added;
            sizes.compute(sets.getFirst().getMetadata().getName(), (name, size) -> Math.max(0, size + leftover));
        }
        return sizes;
    }

    private static int fraction(ReplicaSet set, int desired, int max, int statusReplicas) {
        int size = ReplicaSets.size(set);
        if (desired == 0) {
            return -size;
        }
        int before = Revisions.count(set, Revisions.MAX_REPLICAS);
        if (before <= 0) {
            before = statusReplicas;
        }
        if (before == 0) {
            return 0;
        }
        double target = (double) size * max / before;
        return (int) Math.floor(target + 0.5) - size;
    }
}
