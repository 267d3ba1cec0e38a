package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.probe.CheckResult;
import io.argosy.node.agent.probe.ContainerProbes;
import io.argosy.node.agent.probe.Target;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The probes of a pod's running containers; used by the worker's thread, answers through the worker's mailbox. */
final class PodProbes {
    private final NodeParts parts;
    private final BiConsumer<PodView.Health, String> verdicts;
    private final Map<String, ContainerProbes> running = new HashMap<>();

    PodProbes(NodeParts parts, BiConsumer<PodView.Health, String> verdicts) {
        this.parts = parts;
        this.verdicts = verdicts;
    }

    /** Begins to probe a container, unless that has begun before or it has no probes. */
    void begin(PodMemory memory, ContainerStatus instance) {
        Optional<Container> spec = PodFacts.container(memory.pod, instance.name());
        boolean probed = spec.map(c ->
                        c.getLivenessProbe() != null || c.getReadinessProbe() != null || c.getStartupProbe() != null)
                .orElse(false);
        if (!probed || running.containsKey(instance.id())) {
            return;
        }
        Pod pod = memory.pod;
        String name = instance.name();
        String id = instance.id();
        List<String> ips = PodFacts.hostNetwork(pod) ? parts.config().addresses() : memory.podIps();
        Target target = new Target(id, ips.isEmpty() ? "127.0.0.1" : ips.getFirst(), spec.get());
        Optional<io.fabric8.kubernetes.api.model.ContainerStatus> told = told(pod, id);
        ContainerProbes probes = new ContainerProbes(
                target,
                instance.startedAt().orElse(instance.createdAt()),
                told.map(s -> Boolean.TRUE.equals(s.getStarted())).orElse(false),
                told.map(s -> Boolean.TRUE.equals(s.getReady())).orElse(false),
                parts.checks(),
                parts.clock(),
                new ContainerProbes.Listener() {
                    @Override
                    public void verdict(ContainerProbes.Verdict verdict) {
                        verdicts.accept(health(id, verdict), name);
                    }

                    @Override
                    public void looked(ContainerProbes.Kind kind, CheckResult result) {
                        tell(pod, name, kind, result);
                    }
                });
        running.put(id, probes);
        memory.health.put(name, health(id, probes.verdict()));
        probes.start();
    }

    private void tell(Pod pod, String name, ContainerProbes.Kind kind, CheckResult result) {
        if (result.kind() != CheckResult.Kind.ERRORED) {
            parts.probeCounts().looked(pod, name, kind.name(), result.ok());
        }
        switch (result.kind()) {
            case OK -> {}
            case WARNING -> warn(pod, name, "ProbeWarning", kind + " probe warning: " + result.output());
            case FAILED -> warn(pod, name, "Unhealthy", kind + " probe failed: " + result.output());
            case ERRORED ->
                warn(pod, name, "Unhealthy", kind + " probe errored and resulted in unknown state: " + result.output());
        }
    }

    private void warn(Pod pod, String name, String reason, String message) {
        parts.events().event(PodFacts.reference(pod, name), EventRecorder.Type.Warning, reason, message);
    }

    void end(String id) {
        ContainerProbes probes = running.remove(id);
        if (probes != null) {
            probes.close();
        }
    }

    void stopping(String id) {
        ContainerProbes probes = running.get(id);
        if (probes != null) {
            probes.askReadinessOnly();
        }
    }

    void closeAll() {
        running.values().forEach(ContainerProbes::close);
        running.clear();
    }

    private static PodView.Health health(String id, ContainerProbes.Verdict verdict) {
        return new PodView.Health(id, verdict.started(), verdict.ready(), verdict.killReason(), verdict.killGrace());
    }

    /** What the API server was told of this very instance, by an earlier life of the agent perhaps. */
    private static Optional<io.fabric8.kubernetes.api.model.ContainerStatus> told(Pod pod, String id) {
        PodStatus status = pod.getStatus();
        if (status == null) {
            return Optional.empty();
        }
        List<io.fabric8.kubernetes.api.model.ContainerStatus> all = new ArrayList<>(status.getContainerStatuses());
        all.addAll(status.getInitContainerStatuses());
        return all.stream()
                .filter(s -> s.getContainerID() != null && s.getContainerID().endsWith("://" + id))
                .findFirst();
    }
}
