package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;

/** How well nodes suit a pod, from 0 to {@value #BEST} after normalizing. */
public interface Score {
    long BEST = 100;

    String name();

    /** How much this score counts against the others, unless a profile says otherwise. */
    int weight();

    /** Looks at the pod once, before its candidates are compared; null when all nodes are the same to it. */
    Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates);

    /** The score for one pod. */
    interface Rating {
        long score(NodeInfo node);

        /** Brings raw scores of all candidates into the common range; those that are in it already stay. */
        default void normalize(long[] scores, List<NodeInfo> candidates) {}
    }

    /** Stretches scores so that the greatest becomes the best; reversed where less is better. */
    static void stretch(long[] scores, int count, boolean reversed) {
        long max = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, scores[i]);
        }
        for (int i = 0; i < count; i++) {
            long part = max == 0 ? 0 : BEST * scores[i] / max;
            scores[i] = reversed ? BEST - part : part;
        }
    }
}
