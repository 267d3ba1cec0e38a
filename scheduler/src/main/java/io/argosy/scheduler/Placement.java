package io.argosy.scheduler;

import io.argosy.scheduler.plugin.Filter;
import io.argosy.scheduler.plugin.Score;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.ArrayList;
import java.util.Arrays;
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
    private final List<Weighted> scores;
    private final int percentage;
    private final SplittableRandom lot;
    private final List<NodeInfo> candidates = new ArrayList<>();
    private int start;
    private long[] totals = new long[0];
    private long[] raw = new long[0];

    /** A score and how much it counts. */
    public record Weighted(Score score, int weight) {}

    /** The percentage of nodes that is enough to look at in a large cluster; 0 leaves it to its size. */
    public Placement(List<Filter> filters, List<Weighted> scores, int percentage, SplittableRandom lot) {
        this.filters = filters;
        this.scores = scores;
        this.percentage = percentage;
        this.lot = lot;
    }

    /** What became of a search. */
    public sealed interface Outcome {
        /** The node, and what has to be done before the pod can be bound to it. */
        record Node(NodeInfo node, List<Filter.Preparation> preparations) implements Outcome {}

        record Nowhere(Attempt attempt, Diagnosis why) implements Outcome {}
    }

    public Outcome choose(PodInfo pod, ClusterState cluster) {
        List<NodeInfo> nodes = cluster.nodes();
        if (nodes.isEmpty()) {
            return new Outcome.Nowhere(null, new Diagnosis(0));
        }
        Attempt attempt = new Attempt(pod, cluster, filters);
        if (attempt.refusal() != null) {
            Diagnosis diagnosis = new Diagnosis(nodes.size());
            diagnosis.refuse(attempt.refusal(), nodes);
            return new Outcome.Nowhere(attempt, diagnosis);
        }
        NodeInfo cleared = cluster.node(cluster.nomination(pod.uid()));
        if (cleared != null && attempt.reject(cleared) == null) {
            return new Outcome.Node(cleared, attempt.preparations(cleared));
        }
        Diagnosis diagnosis = search(attempt, attempt.among(cluster), nodes.size());
        if (diagnosis != null) {
            return new Outcome.Nowhere(attempt, diagnosis);
        }
        NodeInfo best = candidates.size() == 1 ? candidates.getFirst() : best(pod, cluster);
        candidates.clear();
        return new Outcome.Node(best, attempt.preparations(best));
    }

    /** Fills the candidates; tells why if there are none among so many nodes in all. */
    private Diagnosis search(Attempt attempt, List<NodeInfo> nodes, int all) {
        candidates.clear();
        int wanted = enough(nodes.size(), percentage);
        Diagnosis diagnosis = null;
        int looked = 0;
        int begin = nodes.isEmpty() ? 0 : start % nodes.size();
        while (looked < nodes.size() && candidates.size() < wanted) {
            int index = begin + looked++;
            NodeInfo node = nodes.get(index < nodes.size() ? index : index - nodes.size());
            Attempt.Refused refused = attempt.reject(node);
            if (refused == null) {
                candidates.add(node);
            } else if (candidates.isEmpty()) {
                // Only wanted if nobody will do; then every node has been counted.
                diagnosis = diagnosis == null ? new Diagnosis(all) : diagnosis;
                diagnosis.add(node, refused);
            }
        }
        start = (start + looked) % all;
        if (!candidates.isEmpty()) {
            return null;
        }
        diagnosis = diagnosis == null ? new Diagnosis(all) : diagnosis;
        diagnosis.passedOver(all - nodes.size(), attempt.narrowing());
        return diagnosis;
    }

    private NodeInfo best(PodInfo pod, ClusterState cluster) {
        int count = candidates.size();
        if (totals.length < count) {
            totals = new long[count];
            raw = new long[count];
        }
        Arrays.fill(totals, 0, count, 0);
        for (Weighted weighted : scores) {
            Score.Rating rating = weighted.score().prepare(pod, cluster, candidates);
            if (rating != null) {
                for (int i = 0; i < count; i++) {
                    raw[i] = rating.score(candidates.get(i));
                }
                rating.normalize(raw, candidates);
                for (int i = 0; i < count; i++) {
                    totals[i] += weighted.weight() * raw[i];
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
        return candidates.get(best);
    }

    /** How many candidates are enough: all of a small cluster, a shrinking part of a large one. */
    static int enough(int nodes, int percentage) {
        if (nodes < ALWAYS_FIND || percentage >= 100) {
            return nodes;
        }
        int part = percentage > 0 ? percentage : Math.max(LEAST_PERCENTAGE, 50 - nodes / 125);
        return Math.max(ALWAYS_FIND, nodes * part / 100);
    }
}
