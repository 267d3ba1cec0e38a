package io.argosy.node.simulated;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodReadinessGate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** What a node agent would report of a pod at a moment of its life: status patches, made from values alone. */
record PodReport(
        Pod pod, String hostIp, String podIp, int restarts, Instant startedAt, Optional<Exit> lastExit, Instant now) {
    /** How the containers ended the last time. */
    record Exit(int code, Instant startedAt, Instant at) {}

    /** What the containers are doing. */
    sealed interface Containers {
        record Running(boolean ready) implements Containers {}

        record Exited(Exit exit) implements Containers {}

        /** Not started yet, or not to be started. */
        record Waiting(String reason, String message) implements Containers {}

        /** Exited and waiting to be started again. */
        record BackingOff(String message) implements Containers {}
    }

    ObjectNode running(boolean ready) {
        return patch("Running", new Containers.Running(ready));
    }

    ObjectNode exited(int code) {
        return patch(code == 0 ? "Succeeded" : "Failed", new Containers.Exited(new Exit(code, startedAt, now)));
    }

    /** Before the first start. */
    ObjectNode waiting(String reason, String message) {
        return patch("Pending", new Containers.Waiting(reason, message));
    }

    /** Between an exit, which is the last one, and the next start. */
    ObjectNode backingOff(String message) {
        return patch("Running", new Containers.BackingOff(message));
    }

    private ObjectNode patch(String phase, Containers containers) {
        boolean ready = containers instanceof Containers.Running running && running.ready();
        String reason = switch (containers) {
            case Containers.Running running -> running.ready() ? "" : "ContainersNotReady";
            case Containers.Exited(Exit exit) -> exit.code() == 0 ? "PodCompleted" : "PodFailed";
            case Containers.BackingOff _, Containers.Waiting _ -> "ContainersNotReady";
        };
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
        ObjectNode status = patch.putObject("status").put("phase", phase);
        if (pod.getMetadata().getGeneration() != null) {
            status.put("observedGeneration", pod.getMetadata().getGeneration());
        }
        status.put("hostIP", hostIp).putArray("hostIPs").addObject().put("ip", hostIp);
        status.put("podIP", podIp).putArray("podIPs").addObject().put("ip", podIp);
        status.put("startTime", time(startedAt));
        ArrayNode conditions = status.putArray("conditions");
        boolean finished = containers instanceof Containers.Exited;
        condition(conditions, "PodReadyToStartContainers", !finished, "");
        condition(conditions, "Initialized", true, finished ? "PodCompleted" : "");
        condition(conditions, "ContainersReady", ready, reason);
        boolean gatesOpen = gatesOpen();
        condition(conditions, "Ready", ready && gatesOpen, ready && !gatesOpen ? "ReadinessGatesNotReady" : reason);
        ArrayNode statuses = status.putArray("containerStatuses");
        for (Container container : pod.getSpec().getContainers()) {
            status(statuses, container, containers, false);
        }
        List<Container> init = pod.getSpec().getInitContainers();
        if (init != null && !init.isEmpty()) {
            ArrayNode initStatuses = status.putArray("initContainerStatuses");
            for (Container container : init) {
                boolean sidecar = "Always".equals(container.getRestartPolicy());
                status(
                        initStatuses,
                        container,
                        sidecar ? containers : new Containers.Exited(new Exit(0, startedAt, startedAt)),
                        !sidecar);
            }
        }
        return patch;
    }

    /** True if every condition that the pod names as a gate stands at True. */
    boolean gatesOpen() {
        List<PodReadinessGate> gates = pod.getSpec().getReadinessGates();
        return gates == null
                || gates.stream().allMatch(gate -> "True".equals(conditionStatus(gate.getConditionType())));
    }

    String conditionStatus(String type) {
        return condition(type).map(PodCondition::getStatus).orElse(null);
    }

    private Optional<PodCondition> condition(String type) {
        return pod.getStatus() == null || pod.getStatus().getConditions() == null
                ? Optional.empty()
                : pod.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals(type))
                        .findFirst();
    }

    private void condition(ArrayNode conditions, String type, boolean holds, String reason) {
        Optional<PodCondition> before = condition(type);
        String status = holds ? "True" : "False";
        ObjectNode condition = conditions.addObject().put("type", type).put("status", status);
        if (before.isEmpty() || !status.equals(before.get().getStatus())) {
            condition.put("lastTransitionTime", time(now));
        }
        if (!reason.isEmpty()) {
            condition.put("reason", reason);
        } else if (before.isPresent() && before.get().getReason() != null) {
            condition.putNull("reason");
        }
        if (reason.equals("ContainersNotReady")) {
            condition.put("message", "containers with unready status: [" + String.join(" ", names()) + "]");
        } else if (before.isPresent() && before.get().getMessage() != null) {
            condition.putNull("message");
        }
        if (pod.getMetadata().getGeneration() != null) {
            condition.put("observedGeneration", pod.getMetadata().getGeneration());
        }
    }

    private List<String> names() {
        return pod.getSpec().getContainers().stream().map(Container::getName).toList();
    }

    private void status(ArrayNode statuses, Container container, Containers containers, boolean completedInit) {
        String id = "simulated://" + pod.getMetadata().getUid().replace("-", "")
                + String.format("%024x%08x", container.getName().hashCode() & 0xffffffffL, restarts);
        ObjectNode status = statuses.addObject()
                .put("name", container.getName())
                .put("image", container.getImage())
                .put("imageID", "simulated://" + container.getImage())
                .put("containerID", id)
                .put("restartCount", completedInit ? 0 : restarts);
        ObjectNode state = status.putObject("state");
        switch (containers) {
            case Containers.Running running -> {
                state.putObject("running").put("startedAt", time(startedAt));
                status.put("ready", running.ready()).put("started", true);
            }
            case Containers.Exited(Exit exit) -> {
                terminated(state, exit, id);
                status.put("ready", completedInit).put("started", false);
            }
            case Containers.Waiting(String reason, String message) -> {
                ObjectNode waiting = state.putObject("waiting").put("reason", reason);
                if (!message.isEmpty()) {
                    waiting.put("message", message);
                }
                status.put("ready", false).put("started", false);
                status.put("imageID", "").remove("containerID");
            }
            case Containers.BackingOff(String message) -> {
                state.putObject("waiting").put("reason", "CrashLoopBackOff").put("message", message);
                status.put("ready", false).put("started", false);
            }
        }
        ObjectNode lastState = status.putObject("lastState");
        if (!completedInit && !(containers instanceof Containers.Exited)) {
            lastExit.ifPresent(exit -> terminated(lastState, exit, id));
        }
    }

    private static void terminated(ObjectNode state, Exit exit, String id) {
        state.putObject("terminated")
                .put("exitCode", exit.code())
                .put("reason", exit.code() == 0 ? "Completed" : "Error")
                .put("startedAt", time(exit.startedAt()))
                .put("finishedAt", time(exit.at()))
                .put("containerID", id);
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
