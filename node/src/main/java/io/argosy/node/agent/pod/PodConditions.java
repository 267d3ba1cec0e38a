package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodReadinessGate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The conditions of a pod that its node answers for; those of others (PodScheduled, readiness gates) are kept as they are. */
final class PodConditions {
    static final String RESIZE_PENDING = "PodResizePending";
    static final String RESIZE_PROGRESS = "PodResizeInProgress";

    /** Those that are there only while there is something to say. */
    static final Set<String> PASSING = Set.of(RESIZE_PENDING, RESIZE_PROGRESS);

    static final Set<String> OWN = Set.of(
            "PodReadyToStartContainers",
            "Initialized",
            "Ready",
            "ContainersReady",
            "PodScheduled",
            RESIZE_PENDING,
            RESIZE_PROGRESS);

    /** The reason of the one condition that is written by whoever ends a pod, when that is the node. */
    static final String BY_NODE = "TerminationByKubelet";

    private final PodView view;
    private final Pod pod;
    private final String phase;
    private final List<ContainerStatus> init;
    private final List<ContainerStatus> regular;

    PodConditions(PodView view, String phase, List<ContainerStatus> init, List<ContainerStatus> regular) {
        this.view = view;
        this.pod = view.pod();
        this.phase = phase;
        this.init = init;
        this.regular = regular;
    }

    List<PodCondition> all(List<PodCondition> before) {
        boolean nothingSaid = before.stream().noneMatch(c -> c.getType().equals("Ready"));
        if (nothingSaid && PodStatuses.refused(view)) {
            return before;
        }
        Map<String, PodCondition> conditions = new LinkedHashMap<>();
        if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
            resize(RESIZE_PENDING, view.resizing().pending(), conditions);
            resize(RESIZE_PROGRESS, view.resizing().progress(), conditions);
        }
        PodCondition containersReady = containersReady();
        for (PodCondition made : List.of(
                condition("PodReadyToStartContainers", view.sandboxReady(), null, null),
                initialized(),
                ready(containersReady, before),
                containersReady,
                condition("PodScheduled", true, null, null))) {
            conditions.put(made.getType(), made);
        }
        view.ending()
                .filter(ending -> ending.isEviction() && phase.equals("Failed"))
                .ifPresent(ending -> conditions.put(
                        "DisruptionTarget", condition("DisruptionTarget", true, BY_NODE, ending.disruption())));
        for (PodCondition old : before) {
            PodCondition made = conditions.get(old.getType());
            boolean passing = PASSING.contains(old.getType());
            if (made == null && !passing) {
                conditions.put(old.getType(), old);
            } else if (!passing && Objects.equals(made.getStatus(), old.getStatus())) {
                made.setLastTransitionTime(old.getLastTransitionTime());
            }
        }
        return new ArrayList<>(conditions.values());
    }

    /** Of what is spoken is said too: the pod may have been changed again since. */
    private void resize(String type, Optional<Resizing.Note> said, Map<String, PodCondition> conditions) {
        said.ifPresent(note -> {
            PodCondition condition = condition(
                    type,
                    true,
                    note.reason().isEmpty() ? null : note.reason(),
                    note.message().isEmpty() ? null : note.message());
            condition.setLastTransitionTime(PodStatuses.time(note.since()));
            condition.setObservedGeneration(note.generation());
            conditions.put(type, condition);
        });
    }

    private PodCondition initialized() {
        List<String> incomplete = new ArrayList<>();
        for (int i = 0; i < init.size(); i++) {
            ContainerStatus status = init.get(i);
            boolean sidecar =
                    PodFacts.isSidecar(pod.getSpec().getInitContainers().get(i));
            boolean done = sidecar ? Boolean.TRUE.equals(status.getStarted()) : Boolean.TRUE.equals(status.getReady());
            if (!done) {
                incomplete.add(status.getName());
            }
        }
        if (phase.equals("Succeeded")) {
            return condition("Initialized", true, "PodCompleted", null);
        }
        boolean regularRan = regular.stream().anyMatch(s -> s.getContainerID() != null);
        if (incomplete.isEmpty() || regularRan) {
            return condition("Initialized", true, null, null);
        }
        return condition(
                "Initialized",
                false,
                "ContainersNotInitialized",
                "containers with incomplete status: " + list(incomplete));
    }

    private PodCondition containersReady() {
        return readiness("ContainersReady");
    }

    private PodCondition readiness(String type) {
        if (phase.equals("Succeeded")) {
            return condition(type, false, "PodCompleted", null);
        }
        if (phase.equals("Failed")) {
            return condition(type, false, "PodFailed", null);
        }
        List<String> unready = new ArrayList<>();
        for (int i = 0; i < init.size(); i++) {
            boolean sidecar =
                    PodFacts.isSidecar(pod.getSpec().getInitContainers().get(i));
            if (sidecar && !Boolean.TRUE.equals(init.get(i).getReady())) {
                unready.add(init.get(i).getName());
            }
        }
        regular.stream().filter(s -> !Boolean.TRUE.equals(s.getReady())).forEach(s -> unready.add(s.getName()));
        if (!unready.isEmpty()) {
            return condition(type, false, "ContainersNotReady", "containers with unready status: " + list(unready));
        }
        return condition(type, true, null, null);
    }

    private PodCondition ready(PodCondition containersReady, List<PodCondition> before) {
        if (!"True".equals(containersReady.getStatus())) {
            return readiness("Ready");
        }
        List<String> problems = new ArrayList<>();
        for (PodReadinessGate gate : pod.getSpec().getReadinessGates()) {
            String type = gate.getConditionType();
            PodCondition condition = before.stream()
                    .filter(c -> c.getType().equals(type))
                    .findFirst()
                    .orElse(null);
            if (condition == null) {
                problems.add("corresponding condition of pod readiness gate \"" + type + "\" does not exist.");
            } else if (!"True".equals(condition.getStatus())) {
                problems.add("the status of pod readiness gate \"" + type + "\" is not \"True\", but "
                        + condition.getStatus());
            }
        }
        return problems.isEmpty()
                ? condition("Ready", true, null, null)
                : condition("Ready", false, "ReadinessGatesNotReady", String.join(", ", problems));
    }

    private PodCondition condition(String type, boolean status, String reason, String message) {
        return new PodConditionBuilder()
                .withType(type)
                .withStatus(status ? "True" : "False")
                .withReason(reason)
                .withMessage(message)
                .withLastTransitionTime(PodStatuses.time(view.now()))
                .withObservedGeneration(pod.getMetadata().getGeneration())
                .build();
    }

    private static String list(List<String> names) {
        return "[" + String.join(" ", names) + "]";
    }
}
