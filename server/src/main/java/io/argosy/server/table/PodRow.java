package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.table.TableDefinition.Completion;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A pod boiled down to one word about its state, and to how many of its containers are ready and were restarted. */
final class PodRow extends Row {
    private static final String COMPLETED = "Completed";

    private final Set<String> sidecars = new HashSet<>();
    private String reason;
    private long ready;
    private long total;
    private Restarts restarts = new Restarts();

    /** Restarts of some containers and when the latest was. */
    private static final class Restarts {
        private long count;
        private Instant latest;

        void add(JsonNode container) {
            count += container.path("restartCount").asLong();
            Optional<Instant> ended =
                    instant(container.path("lastState").path("terminated").path("finishedAt"));
            if (ended.isPresent() && (latest == null || latest.isBefore(ended.get()))) {
                latest = ended.get();
            }
        }
    }

    PodRow(ObjectNode pod, Instant now) {
        super(pod, now);
        reason = filledOr(text("status", "phase"), "status", "reason");
        for (JsonNode condition : at("status", "conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")
                    && condition.path("reason").asText().equals("SchedulingGated")) {
                reason = "SchedulingGated";
            }
        }
        total = count("spec", "containers");
        for (JsonNode container : at("spec", "initContainers")) {
            if (container.path("restartPolicy").asText().equals("Always")) {
                sidecars.add(container.path("name").asText());
                total++;
            }
        }
        Restarts ofSidecars = new Restarts();
        boolean initializing = initContainers(ofSidecars);
        if (!initializing || conditionIsTrue("Initialized")) {
            restarts = ofSidecars;
            containers();
        }
        if (deleting() && text("status", "reason").equals("NodeLost")) {
            reason = "Unknown";
        } else if (deleting() && completion().isEmpty()) {
            reason = "Terminating";
        }
    }

    /** Goes through the init containers up to the first that is not done; whether there was one. */
    private boolean initContainers(Restarts ofSidecars) {
        JsonNode statuses = at("status", "initContainerStatuses");
        for (int i = 0; i < statuses.size(); i++) {
            JsonNode container = statuses.get(i);
            boolean sidecar = sidecars.contains(container.path("name").asText());
            restarts.add(container);
            if (sidecar) {
                ofSidecars.add(container);
            }
            JsonNode terminated = container.path("state").path("terminated");
            if (terminated.isObject() && terminated.path("exitCode").asLong() == 0) {
                continue;
            }
            if (sidecar && container.path("started").asBoolean()) {
                ready += container.path("ready").asBoolean() ? 1 : 0;
                continue;
            }
            String waiting =
                    container.path("state").path("waiting").path("reason").asText();
            if (terminated.isObject()) {
                reason = "Init:" + ended(terminated);
            } else if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
                reason = "Init:" + waiting;
            } else {
                reason = "Init:" + i + "/" + count("spec", "initContainers");
            }
            return true;
        }
        return false;
    }

    /** From the last to the first, so that the first container that has something to say has the last word. */
    private void containers() {
        JsonNode statuses = at("status", "containerStatuses");
        boolean anyRunning = false;
        String failure = "";
        for (int i = statuses.size() - 1; i >= 0; i--) {
            JsonNode container = statuses.get(i);
            restarts.add(container);
            JsonNode state = container.path("state");
            JsonNode terminated = state.path("terminated");
            String waiting = state.path("waiting").path("reason").asText();
            if (!waiting.isEmpty()) {
                reason = waiting;
            } else if (terminated.isObject()) {
                reason = ended(terminated);
                failure = terminated.path("exitCode").asLong() != 0 ? reason : failure;
            } else if (container.path("ready").asBoolean()
                    && state.path("running").isObject()) {
                anyRunning = true;
                ready++;
            }
        }
        if (reason.equals(COMPLETED)) {
            reason = whenOneCompleted(anyRunning, failure);
        }
    }

    /** One completed container does not make a completed pod. */
    private String whenOneCompleted(boolean anyRunning, String failure) {
        if (anyRunning && conditionIsTrue("Ready")) {
            return "Running";
        }
        if (!failure.isEmpty()) {
            return failure;
        }
        return anyRunning ? "NotReady" : COMPLETED;
    }

    private static String ended(JsonNode terminated) {
        String reason = terminated.path("reason").asText();
        if (!reason.isEmpty()) {
            return reason;
        }
        long signal = terminated.path("signal").asLong();
        return signal != 0
                ? "Signal:" + signal
                : "ExitCode:" + terminated.path("exitCode").asLong();
    }

    @Override
    Optional<Completion> completion() {
        return switch (text("status", "phase")) {
            case "Succeeded" -> Optional.of(new Completion("Succeeded", "The pod has completed successfully."));
            case "Failed" -> Optional.of(new Completion("Failed", "The pod failed."));
            default -> Optional.empty();
        };
    }

    String status() {
        return reason;
    }

    String ready() {
        return ready + "/" + total;
    }

    /** {@code 3 (5m ago)}; without the time where no container ran before. */
    String restarts() {
        if (restarts.count == 0 || restarts.latest == null) {
            return Long.toString(restarts.count);
        }
        return restarts.count + " (" + HumanDuration.of(Duration.between(restarts.latest, now())) + " ago)";
    }

    String address() {
        String first = at("status", "podIPs").path(0).path("ip").asText();
        return first.isEmpty() ? filledOr(NONE, "status", "podIP") : first;
    }

    String readinessGates() {
        JsonNode gates = at("spec", "readinessGates");
        if (gates.isEmpty()) {
            return NONE;
        }
        List<String> types = gates.findValuesAsText("conditionType");
        return types.stream().filter(this::conditionIsTrue).count() + "/" + gates.size();
    }
}
