package io.argosy.scheduler.preempt;

import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which evictions the owners of pods would not like: those for which their budgets have nothing left. */
final class DisruptionBudgets {
    private final List<Budget> budgets = new ArrayList<>();

    private record Budget(String namespace, Selector selector, int allowed, Map<String, String> disrupted) {
        boolean covers(PodInfo pod) {
            return namespace.equals(pod.namespace())
                    && !selector.isEmpty()
                    && selector.matches(pod.labels())
                    && !disrupted.containsKey(pod.name().name());
        }
    }

    DisruptionBudgets(List<PodDisruptionBudget> all) {
        for (PodDisruptionBudget budget : all) {
            var status = budget.getStatus();
            budgets.add(new Budget(
                    budget.getMetadata().getNamespace(),
                    Selector.of(budget.getSpec().getSelector()),
                    status == null || status.getDisruptionsAllowed() == null ? 0 : status.getDisruptionsAllowed(),
                    status == null || status.getDisruptedPods() == null ? Map.of() : status.getDisruptedPods()));
        }
    }

    /** For each of the pods, taken in this order, whether its eviction would go beyond a budget. */
    List<Boolean> violations(List<PodInfo> pods) {
        int[] left = budgets.stream().mapToInt(Budget::allowed).toArray();
        List<Boolean> found = new ArrayList<>(pods.size());
        for (PodInfo pod : pods) {
            boolean violates = false;
            if (!pod.labels().isEmpty()) {
                for (int i = 0; i < left.length; i++) {
                    if (budgets.get(i).covers(pod)) {
                        violates |= --left[i] < 0;
                    }
                }
            }
            found.add(violates);
        }
        return found;
    }
}
