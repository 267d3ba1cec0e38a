package io.argosy.node.agent.pod;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Everything the node knows of one pod at one moment, unchanging: what is wanted, what runs, and what was tried. The plan and
 * the status are both functions of it.
 *
 * @param pod as the API server has it, but with the status and the resources that the node has given it
 *
 * @param removed whether the API server no longer has the pod
 * @param ending why the pod must stop though nobody deleted it
 * @param sandbox the newest one
 * @param containers the newest and the one before, by container name
 * @param waits why a container that should run does not
 * @param backOffs the restart back-off by container name
 * @param probes what the probes of the running containers say
 * @param busy whether a sandbox or containers are being made right now
 * @param stopping containers that have been told to stop, and when they will be killed
 * @param cleaned whether the sandbox of a finished pod has been stopped
 * @param resizing how far a change of its resources has come
 */
public record PodView(
        Pod pod,
        boolean removed,
        Optional<Ending> ending,
        Optional<Sandbox> sandbox,
        Map<String, Instances> containers,
        Map<String, Wait> waits,
        Map<String, BackOff> backOffs,
        Map<String, Health> probes,
        boolean busy,
        Map<String, Instant> stopping,
        boolean cleaned,
        Resizing resizing,
        Instant now) {

    /** A container's newest instance, and the one it replaced if that is still known. */
    public record Instances(ContainerStatus current, Optional<ContainerStatus> previous) {
        public boolean running() {
            return current.state() == ContainerStatus.State.RUNNING;
        }

        public boolean exited() {
            return current.state() == ContainerStatus.State.EXITED || current.state() == ContainerStatus.State.UNKNOWN;
        }

        public int exitCode() {
            return current.exitCode().orElse(137);
        }

        public Instant finishedAt() {
            return current.finishedAt().orElse(current.createdAt());
        }
    }

    /**
     * Why a container waits, and until when.
     *
     * @param since when it failed
     * @param until when it may be tried again
     */
    public record Wait(String reason, String message, Instant since, Instant until) {}

    /**
     * What a running container's probes say.
     *
     * @param killReason set when a liveness or startup probe has given up on it: the words for the Killing event
     * @param killGrace the probe's own grace period in seconds, or negative for the pod's
     */
    public record Health(String containerId, boolean started, boolean ready, String killReason, long killGrace) {
        public static Health healthy(String containerId) {
            return new Health(containerId, true, true, "", -1);
        }
    }

    /**
     * The pod is to fail as a whole, for this reason.
     *
     * @param refused whether it was never taken in
     */
    public record Ending(String reason, String message, boolean refused) {
        public Ending(String reason, String message) {
            this(reason, message, false);
        }

        public static final String EVICTED = "Evicted";
        public static final Ending DEADLINE =
                new Ending("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");

        public static final Ending PREEMPTED = new Ending("Preempting", "Preempted in order to admit critical pod");

        /** Whether the node was short of something, so that nothing of the pod stays. */
        public boolean isEviction() {
            return reason.equals(EVICTED) || equals(PREEMPTED);
        }

        /** What those are told who keep count of disruptions. */
        public String disruption() {
            return equals(PREEMPTED) ? "Pod was preempted by Kubelet to accommodate a critical pod." : message;
        }
    }

    /** The same, but the pod is to fail. */
    PodView ending(Ending why) {
        return new PodView(
                pod,
                removed,
                Optional.of(why),
                sandbox,
                containers,
                waits,
                backOffs,
                probes,
                busy,
                stopping,
                cleaned,
                resizing,
                now);
    }

    public Optional<Instances> container(String name) {
        return Optional.ofNullable(containers.get(name));
    }

    public boolean running(String name) {
        return container(name).map(Instances::running).orElse(false);
    }

    public boolean anyRunning() {
        return containers.values().stream().anyMatch(Instances::running);
    }

    public boolean sandboxReady() {
        return sandbox.map(s -> s.state() == Sandbox.State.READY).orElse(false);
    }

    /** What the probes say of this very instance; a container without probes is healthy as soon as it runs. */
    public Health health(Instances instance) {
        Health known = probes.get(instance.current().name());
        return known != null && known.containerId().equals(instance.current().id())
                ? known
                : Health.healthy(instance.current().id());
    }
}
