package io.argosy.scheduler.preempt;

import io.argosy.scheduler.Attempt;
import io.argosy.scheduler.Diagnosis;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Decides which less important pods make way for one that fits nowhere: on each node where that may help, the fewest and least
 * important that must go; then the node where it hurts least.
 */
public final class Preemption {
    private static final String NOT_HELPFUL = "Preemption is not helpful for scheduling";
    private static final String NO_VICTIMS = "No preemption victims found for incoming pod";
    private static final int LEAST_CANDIDATES = 100;
    private static final int CANDIDATES_PERCENT = 10;

    private final SplittableRandom lot;

    public Preemption(SplittableRandom lot) {
        this.lot = lot;
    }

    /** What became of the search. */
    public sealed interface Outcome {
        record Evict(Candidate candidate) implements Outcome {}

        /** The pod may not preempt, or not now; a node already being cleared for it stays so. */
        record NotEligible(String why) implements Outcome {}

        /** Nothing can be done by evicting; a node being cleared for the pod is given up. */
        record Nobody(String why) implements Outcome {}
    }

    /** Leaving tells of pods that this scheduler has begun to evict. */
    public Outcome find(
            Attempt attempt,
            Diagnosis diagnosis,
            ClusterState cluster,
            List<PodDisruptionBudget> budgets,
            Predicate<PodInfo> leaving) {
        PodInfo pod = attempt.pod();
        if ("Never".equals(pod.pod().getSpec().getPreemptionPolicy())) {
            return new Outcome.NotEligible("not eligible due to preemptionPolicy=Never.");
        }
        NodeInfo nominated = cluster.node(cluster.nomination(pod.uid()));
        if (nominated != null && diagnosis.curable().contains(nominated)) {
            for (PodInfo other : nominated.pods()) {
                if (other.priority() < pod.priority() && (leaving.test(other) || isBeingPreempted(other))) {
                    return new Outcome.NotEligible("not eligible due to a terminating pod on the nominated node.");
                }
            }
        }
        return search(attempt, diagnosis, new DisruptionBudgets(budgets));
    }

    private Outcome search(Attempt attempt, Diagnosis diagnosis, DisruptionBudgets budgets) {
        List<NodeInfo> nodes = diagnosis.curable();
        Map<String, Integer> reasons = new HashMap<>();
        int others = diagnosis.nodes() - nodes.size();
        if (others > 0) {
            reasons.put(NOT_HELPFUL, others);
        }
        Candidate best = null;
        int found = 0;
        boolean harmless = false;
        int wanted = Math.min(nodes.size(), Math.max(LEAST_CANDIDATES, nodes.size() * CANDIDATES_PERCENT / 100));
        int begin = nodes.isEmpty() ? 0 : lot.nextInt(nodes.size());
        for (int i = 0; i < nodes.size() && !(harmless && found >= wanted); i++) {
            NodeInfo node = nodes.get((begin + i) % nodes.size());
            VictimSearch search = new VictimSearch(attempt, node, budgets);
            Candidate candidate = search.candidate();
            if (candidate == null) {
                search.reasons(NO_VICTIMS).forEach(reason -> reasons.merge(reason, 1, Integer::sum));
                continue;
            }
            found++;
            harmless |= candidate.violations() == 0;
            if (best == null || Candidate.BY_HARM.compare(candidate, best) < 0) {
                best = candidate;
            }
        }
        return best == null
                ? new Outcome.Nobody(Diagnosis.noneAvailable(diagnosis.nodes(), Diagnosis.histogram(reasons)))
                : new Outcome.Evict(best);
    }

    private static boolean isBeingPreempted(PodInfo pod) {
        if (!pod.isTerminating()
                || pod.pod().getStatus() == null
                || pod.pod().getStatus().getConditions() == null) {
            return false;
        }
        for (PodCondition condition : pod.pod().getStatus().getConditions()) {
            if (condition.getType().equals("DisruptionTarget")) {
                return "True".equals(condition.getStatus()) && "PreemptionByScheduler".equals(condition.getReason());
            }
        }
        return false;
    }

    /** Supposes pods gone from one node, and puts everything back as it was. */
    private static final class VictimSearch {
        private final Attempt attempt;
        private final NodeInfo node;
        private final DisruptionBudgets budgets;
        private Attempt.Refused refused;

        VictimSearch(Attempt attempt, NodeInfo node, DisruptionBudgets budgets) {
            this.attempt = attempt;
            this.node = node;
            this.budgets = budgets;
        }

        List<String> reasons(String noVictims) {
            return refused == null ? List.of(noVictims) : refused.rejection().reasons();
        }

        /** The fewest that must go, or null if it does not help that all who may go do. */
        Candidate candidate() {
            List<PodInfo> potential = new ArrayList<>(node.pods().stream()
                    .filter(other -> other.priority() < attempt.pod().priority())
                    .sorted(Candidate.BY_IMPORTANCE)
                    .toList());
            if (potential.isEmpty()) {
                return null;
            }
            potential.forEach(other -> attempt.remove(other, node));
            List<PodInfo> victims = new ArrayList<>();
            refused = attempt.reject(node);
            int violations = 0;
            if (refused == null) {
                violations = reprieve(potential, victims);
            } else {
                victims.addAll(potential);
            }
            victims.forEach(other -> attempt.add(other, node));
            if (refused != null || victims.isEmpty()) {
                return null;
            }
            victims.sort(Candidate.BY_IMPORTANCE);
            return new Candidate(node, List.copyOf(victims), violations);
        }

        /** Lets as many as possible stay: first those whose budgets are used up, then the others, the important ones first. */
        private int reprieve(List<PodInfo> potential, List<PodInfo> victims) {
            List<Boolean> violations = budgets.violations(potential);
            int violating = 0;
            for (boolean violates : new boolean[] {true, false}) {
                for (int i = 0; i < potential.size(); i++) {
                    if (violations.get(i) == violates) {
                        PodInfo other = potential.get(i);
                        attempt.add(other, node);
                        if (attempt.reject(node) != null) {
                            attempt.remove(other, node);
                            victims.add(other);
                            violating += violates ? 1 : 0;
                        }
                    }
                }
            }
            return violating;
        }
    }
}
