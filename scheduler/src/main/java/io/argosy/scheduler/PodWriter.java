package io.argosy.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what the scheduler decided: bindings, the PodScheduled condition of pods that fit nowhere, and the events of both. */
final class PodWriter {
    private static final Logger LOG = LoggerFactory.getLogger(PodWriter.class);
    private static final int AT_ONCE = 128;
    private static final int LONGEST_NOTE = 1024;

    private final Resources<Pod> pods;
    private final EventRecorder events;
    private final Clock clock;
    private final Semaphore permits = new Semaphore(AT_ONCE);

    PodWriter(Client client, EventRecorder events, Clock clock) {
        pods = client.resources(Pod.class);
        this.events = events;
        this.clock = clock;
    }

    /** True if the pod is now bound; a failure has been reported. */
    boolean bind(PodInfo pod, String node) {
        ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("name", pod.name().name())
                .put("namespace", pod.name().namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("kind", "Node").put("name", node);
        permits.acquireUninterruptibly();
        try {
            pods.createSubresource(pod.name().namespace(), pod.name().name(), "binding", binding);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                LOG.warn("binding {} to {} was refused: {}", pod, node, e.getMessage());
                events.event(pod.pod(), EventRecorder.Type.Warning, "FailedScheduling", shortened(e.getMessage()));
            }
            return false;
        } catch (RuntimeException e) {
            LOG.warn("binding {} to {} failed: {}", pod, node, e.toString());
            return false;
        } finally {
            permits.release();
        }
        events.event(
                pod.pod(),
                EventRecorder.Type.Normal,
                "Scheduled",
                "Successfully assigned " + pod.name().namespace() + "/"
                        + pod.name().name() + " to " + node);
        return true;
    }

    void reportUnschedulable(PodInfo pod, String message) {
        events.event(pod.pod(), EventRecorder.Type.Warning, "FailedScheduling", shortened(message));
        Optional<PodCondition> before = scheduledCondition(pod.pod());
        if (before.isPresent()
                && before.get().getStatus().equals("False")
                && message.equals(before.get().getMessage())) {
            return;
        }
        String now = clock.now().truncatedTo(ChronoUnit.SECONDS).toString();
        boolean turned = before.isEmpty() || !before.get().getStatus().equals("False");
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.uid());
        ObjectNode condition = patch.putObject("status").putArray("conditions").addObject();
        condition
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", "Unschedulable")
                .put("message", message)
                .put("lastTransitionTime", turned ? now : before.get().getLastTransitionTime());
        if (pod.pod().getMetadata().getGeneration() != null) {
            condition.put("observedGeneration", pod.pod().getMetadata().getGeneration());
        }
        permits.acquireUninterruptibly();
        try {
            pods.patchStatus(pod.name().namespace(), pod.name().name(), Resources.PatchType.STRATEGIC, patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                LOG.warn("the condition of {} could not be written: {}", pod, e.getMessage());
            }
        } catch (RuntimeException e) {
            LOG.warn("the condition of {} could not be written: {}", pod, e.toString());
        } finally {
            permits.release();
        }
    }

    private static Optional<PodCondition> scheduledCondition(Pod pod) {
        if (pod.getStatus() == null || pod.getStatus().getConditions() == null) {
            return Optional.empty();
        }
        return pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("PodScheduled"))
                .findFirst();
    }

    private static String shortened(String message) {
        return message.length() <= LONGEST_NOTE ? message : message.substring(0, LONGEST_NOTE - 4) + " ...";
    }
}
