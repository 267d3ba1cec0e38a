package io.argosy.controllers.job;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyOnExitCodesRequirement;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyOnPodConditionsPattern;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyRule;
import java.util.List;
import java.util.Optional;

/** What a Job's rules make of a failed pod: the first rule that fits decides. */
final class FailurePolicy {
    private FailurePolicy() {}

    enum Action {
        /** As if there were no rules. */
        COUNT,
        /** The failure is nobody's fault and does not count. */
        IGNORE,
        /** The pod's index has failed, without another try. */
        FAIL_INDEX,
        /** The whole Job has failed. */
        FAIL_JOB
    }

    record Match(Action action, String message) {}

    static Match of(Job job, Pod pod) {
        if (job.getSpec().getPodFailurePolicy() != null) {
            List<PodFailurePolicyRule> rules =
                    job.getSpec().getPodFailurePolicy().getRules();
            for (int i = 0; i < rules.size(); i++) {
                Optional<String> fit = fit(rules.get(i), pod);
                if (fit.isPresent()) {
                    String action = rules.get(i).getAction();
                    return new Match(action(action), fit.get() + " matching " + action + " rule at index " + i);
                }
            }
        }
        return new Match(Action.COUNT, "");
    }

    private static Action action(String name) {
        return switch (name) {
            case "Ignore" -> Action.IGNORE;
            case "FailIndex" -> Action.FAIL_INDEX;
            case "FailJob" -> Action.FAIL_JOB;
            default -> Action.COUNT;
        };
    }

    /** In what way the rule fits. */
    private static Optional<String> fit(PodFailurePolicyRule rule, Pod pod) {
        String name = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
        if (pod.getStatus() == null) {
            return Optional.empty();
        }
        PodFailurePolicyOnExitCodesRequirement exitCodes = rule.getOnExitCodes();
        if (exitCodes != null) {
            return container(pod.getStatus().getContainerStatuses(), exitCodes)
                    .or(() -> container(pod.getStatus().getInitContainerStatuses(), exitCodes))
                    .map(status -> "Container " + status.getName() + " for pod " + name + " failed with exit code "
                            + status.getState().getTerminated().getExitCode());
        }
        for (PodFailurePolicyOnPodConditionsPattern pattern : rule.getOnPodConditions()) {
            for (PodCondition condition : pod.getStatus().getConditions()) {
                String wanted = pattern.getStatus() == null ? "True" : pattern.getStatus();
                if (condition.getType().equals(pattern.getType())
                        && condition.getStatus().equals(wanted)) {
                    return Optional.of("Pod " + name + " has condition " + condition.getType());
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<ContainerStatus> container(
            List<ContainerStatus> statuses, PodFailurePolicyOnExitCodesRequirement wanted) {
        return statuses.stream()
                .filter(status -> wanted.getContainerName() == null
                        || wanted.getContainerName().equals(status.getName()))
                .filter(status -> status.getState() != null && status.getState().getTerminated() != null)
                .filter(status -> fits(status.getState().getTerminated(), wanted))
                .findFirst();
    }

    private static boolean fits(ContainerStateTerminated ended, PodFailurePolicyOnExitCodesRequirement wanted) {
        Integer code = ended.getExitCode();
        return code != null && code != 0 && wanted.getValues().contains(code) == "In".equals(wanted.getOperator());
    }
}
