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

/** Writes what the scheduler decided of pods: bindings, why they fit nowhere, evictions, and the events of all that. */
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
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("kind", "Node").put("name", node);
        RuntimeException failure = null;
        permits.acquireUninterruptibly();
        try {
            pods.createSubresource(pod.namespace(), pod.name().name(), "binding", binding);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            permits.release();
        }
        if (failure != null && !isBound(pod, node, failure)) {
            if (!(failure instanceof ApiException refusal && refusal.is(Reason.NotFound))) {
                LOG.warn("binding {} to {} failed: {}", pod, node, failure.getMessage());
                reportError(pod, failure.getMessage());
            }
            return false;
        }
        events.event(
                pod.pod(),
                EventRecorder.Type.Normal,
                "Scheduled",
                "Successfully assigned " + pod.namespace() + "/" + pod.name().name() + " to " + node);
        return true;
    }

    /** Whether the pod went to the node although the answer was lost, which only a server that failed or was silent leaves open. */
    private boolean isBound(PodInfo pod, String node, RuntimeException failure) {
        if (failure instanceof ApiException refusal && refusal.code() < 500) {
            return false;
        }
        try {
            return pods.find(pod.namespace(), pod.name().name())
                    .filter(found -> found.getMetadata().getUid().equals(pod.uid())
                            && node.equals(found.getSpec().getNodeName()))
                    .isPresent();
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Something went wrong that has nothing to do with what the pod asks for. */
    void reportError(PodInfo pod, String message) {
        report(pod, "SchedulerError", message, "");
    }

    /** The nomination is the node that is being cleared for the pod, empty if there is none. */
    void reportUnschedulable(PodInfo pod, String message, String nomination) {
        report(pod, "Unschedulable", message, nomination);
    }

    private void report(PodInfo pod, String reason, String message, String nomination) {
        events.event(pod.pod(), EventRecorder.Type.Warning, "FailedScheduling", shortened(message));
        Optional<PodCondition> before = condition(pod.pod(), "PodScheduled");
        boolean sameCondition = before.isPresent()
                && before.get().getStatus().equals("False")
                && reason.equals(before.get().getReason())
                && message.equals(before.get().getMessage());
        boolean sameNomination = nomination.equals(pod.nominatedNode());
        if (sameCondition && sameNomination) {
            return;
        }
        ObjectNode patch = statusOf(pod);
        if (!sameCondition) {
            condition(patch, pod, "PodScheduled", "False", reason, message);
        }
        if (!sameNomination) {
            nominate(patch, nomination);
        }
        write(pod, patch);
    }

    /** Says that the pod is about to go to a node, or, with an empty name, no longer is. */
    void nominate(PodInfo pod, String node) {
        ObjectNode patch = statusOf(pod);
        nominate(patch, node);
        write(pod, patch);
    }

    /** True if the victim is on its way out, or gone already. */
    boolean evict(PodInfo victim, PodInfo preemptor, String node) {
        ObjectNode patch = statusOf(victim);
        condition(
                patch,
                victim,
                "DisruptionTarget",
                "True",
                "PreemptionByScheduler",
                preemptor.pod().getSpec().getSchedulerName() + ": preempting to accommodate a higher priority pod");
        permits.acquireUninterruptibly();
        try {
            pods.patchStatusOnly(victim.namespace(), victim.name().name(), Resources.PatchType.STRATEGIC, patch);
            pods.delete(victim.namespace(), victim.name().name(), Resources.DeleteOptions.DEFAULT.ifUid(victim.uid()));
        } catch (ApiException e) {
            if (e.is(Reason.NotFound) || e.is(Reason.Conflict)) {
                return true;
            }
            LOG.warn("{} could not be evicted for {}: {}", victim, preemptor, e.getMessage());
            return false;
        } catch (RuntimeException e) {
            LOG.warn("{} could not be evicted for {}: {}", victim, preemptor, e.toString());
            return false;
        } finally {
            permits.release();
        }
        events.event(
                victim.pod(),
                EventRecorder.Type.Normal,
                "Preempted",
                "Preempted by pod " + preemptor.uid() + " on node " + node);
        return true;
    }

    private static ObjectNode statusOf(PodInfo pod) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.putObject("status");
        return patch;
    }

    private static void nominate(ObjectNode patch, String node) {
        ObjectNode status = (ObjectNode) patch.get("status");
        if (node.isEmpty()) {
            status.putNull("nominatedNodeName");
        } else {
            status.put("nominatedNodeName", node);
        }
    }

    private void condition(ObjectNode patch, PodInfo pod, String type, String status, String reason, String message) {
        Optional<PodCondition> before = condition(pod.pod(), type);
        boolean turned = before.isEmpty() || !before.get().getStatus().equals(status);
        ObjectNode condition =
                ((ObjectNode) patch.get("status")).putArray("conditions").addObject();
        condition
                .put("type", type)
                .put("status", status)
                .put("reason", reason)
                .put("message", message)
                .put(
                        "lastTransitionTime",
                        turned
                                ? clock.now().truncatedTo(ChronoUnit.SECONDS).toString()
                                : before.get().getLastTransitionTime());
        if (pod.pod().getMetadata().getGeneration() != null) {
            condition.put("observedGeneration", pod.pod().getMetadata().getGeneration());
        }
    }

    private void write(PodInfo pod, ObjectNode patch) {
        permits.acquireUninterruptibly();
        try {
            pods.patchStatusOnly(pod.namespace(), pod.name().name(), Resources.PatchType.STRATEGIC, patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                LOG.warn("the status of {} could not be written: {}", pod, e.getMessage());
            }
        } catch (RuntimeException e) {
            LOG.warn("the status of {} could not be written: {}", pod, e.toString());
        } finally {
            permits.release();
        }
    }

    private static Optional<PodCondition> condition(Pod pod, String type) {
        if (pod.getStatus() == null || pod.getStatus().getConditions() == null) {
            return Optional.empty();
        }
        return pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    private static String shortened(String message) {
        return message.length() <= LONGEST_NOTE ? message : message.substring(0, LONGEST_NOTE - 4) + " ...";
    }
}
