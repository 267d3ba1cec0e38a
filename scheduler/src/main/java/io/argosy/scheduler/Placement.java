package io.argosy.scheduler;

import io.argosy.scheduler.plugin.BalancedAllocation;
import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.LeastAllocated;
import io.argosy.scheduler.plugin.NodeAffinity;
import io.argosy.scheduler.plugin.NodeName;
import io.argosy.scheduler.plugin.NodePorts;
import io.argosy.scheduler.plugin.NodeResourcesFit;
import io.argosy.scheduler.plugin.NodeUnschedulable;
import io.argosy.scheduler.plugin.Rejection;
import io.argosy.scheduler.plugin.Score;
import io.argosy.scheduler.plugin.TaintToleration;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The decision: which node a pod goes to, or why to none. Filters leave candidates, scores choose among them, and of equals one is
 * drawn by lot. In large clusters only a part of the nodes is looked at, each time beginning where the last search ended.
 */
public final class Placement {
    private static final int ALWAYS_FIND = 100;
    private static final int LEAST_PERCENTAGE = 5;

    private final List<Filter> filters;
    private final List<Score> scores;
    private final SplittableRandom lot;
    private int start;
    private NodeInfo[] candidates = new NodeInfo[0];
    private long[] totals = new long[0];
    private long[] raw = new long[0];

    public Placement(List<Filter> filters, List<Score> scores, SplittableRandom lot) {
        this.filters = filters;
        this.scores = scores;
        this.lot = lot;
    }

    /** The filters and scores of a standard scheduler, in its order. */
    public static Placement standard(SplittableRandom lot) {
        TaintToleration taints = new TaintToleration();
        return new Placement(
                List.of(
                        new NodeUnschedulable(),
                        new NodeName(),
                        taints,
                        new NodeAffinity(),
                        new NodePorts(),
                        new NodeResourcesFit()),
                List.of(taints, new NodeAffinity.Preference(), new LeastAllocated(), new BalancedAllocation()),
                lot);
    }

    /** What became of a search. */
    public sealed interface Outcome {
        record Node(NodeInfo node) implements Outcome {}

        record Nowhere(Diagnosis why) implements Outcome {}
    }

    public Outcome choose(PodInfo pod, ClusterState cluster) {
        List<NodeInfo> nodes = cluster.nodes();
        if (nodes.isEmpty()) {
            return new Outcome.Nowhere(new Diagnosis(0, pod));
        }
        Filter[] concerned =
                filters.stream().filter(filter -> filter.concerns(pod)).toArray(Filter[]::new);
        int wanted = enough(nodes.size());
        if (candidates.length < wanted) {
            candidates = new NodeInfo[wanted];
            totals = new long[wanted];
            raw = new long[wanted];
        }
        Diagnosis diagnosis = null;
        int found = 0;
        int looked = 0;
        int begin = start % nodes.size();
        while (looked < nodes.size() && found < wanted) {
            int index = begin + looked++;
            NodeInfo node = nodes.get(index < nodes.size() ? index : index - nodes.size());
            Filter rejecting = null;
            Rejection rejection = null;
            for (Filter filter : concerned) {
                rejection = filter.reject(pod, node);
                if (rejection != null) {
                    rejecting = filter;
                    break;
                }
            }
            if (rejecting == null) {
                candidates[found++] = node;
            } else if (found == 0) {
                // Only wanted if nobody will do; then every node has been counted.
                diagnosis = diagnosis == null ? new Diagnosis(nodes.size(), pod) : diagnosis;
                diagnosis.add(rejecting, rejection);
            }
        }
        start = (begin + looked) % nodes.size();
        if (found == 0) {
            return new Outcome.Nowhere(diagnosis);
        }
        return new Outcome.Node(found == 1 ? candidates[0] : best(pod, found));
    }

    private NodeInfo best(PodInfo pod, int count) {
        java.util.Arrays.fill(totals, 0, count, 0);
        for (Score score : scores) {
            if (score.concerns(pod)) {
                for (int i = 0; i < count; i++) {
                    raw[i] = score.score(pod, candidates[i]);
                }
                score.normalize(raw, count);
                int weight = score.weight();
                for (int i = 0; i < count; i++) {
                    totals[i] += weight * raw[i];
                }
            }
        }
        int best = 0;
        int equals = 1;
        for (int i = 1; i < count; i++) {
            if (totals[i] > totals[best]) {
                best = i;
                equals = 1;
            } else if (totals[i] == totals[best] && lot.nextInt(++equals) == 0) {
                best = i;
            }
        }
        return candidates[best];
    }

    /** How many candidates are enough: all of a small cluster, a shrinking part of a large one. */
    static int enough(int nodes) {
        if (nodes < ALWAYS_FIND) {
            return nodes;
        }
        int percentage = Math.max(LEAST_PERCENTAGE, 50 - nodes / 125);
        return Math.max(ALWAYS_FIND, nodes * percentage / 100);
    }
}
