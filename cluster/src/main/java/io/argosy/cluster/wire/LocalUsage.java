package io.argosy.cluster.wire;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.time.Clock;
import io.argosy.client.informer.Informer;
import io.argosy.node.simulated.SimulatedUsage;
import io.argosy.node.usage.UsageMeter;
import io.argosy.server.usage.UsageSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What is used on the nodes of this process: measured on the machine's own, as the pods' annotations say on simulated ones. */
public final class LocalUsage implements UsageSource {
    private static final String MIRROR = "kubernetes.io/config.mirror";

    private final Informer<Pod> pods;
    private final Clock clock;
    private volatile String machine = "";
    private volatile UsageMeter meter;
    private volatile Predicate<String> simulated = node -> false;

    public LocalUsage(Informer<Pod> pods, Clock clock) {
        this.pods = pods;
        this.clock = clock;
    }

    public void machine(String node, UsageMeter measuring) {
        meter = measuring;
        machine = node;
    }

    /** Which nodes are simulated, and there. */
    public void simulated(Predicate<String> nodes) {
        simulated = nodes;
    }

    @Override
    public Optional<Sample> node(String name) {
        if (name.equals(machine)) {
            return meter.node().map(LocalUsage::sample);
        }
        return simulated.test(name) ? Optional.of(sumOf(name)) : Optional.empty();
    }

    private Sample sumOf(String node) {
        long cores = 0;
        long memory = 0;
        Duration window = Duration.ZERO;
        for (Pod pod : pods.list()) {
            if (node.equals(pod.getSpec().getNodeName()) && runs(pod)) {
                io.argosy.node.usage.Sample each = SimulatedUsage.of(annotations(pod), clock.now());
                int containers = pod.getSpec().getContainers().size();
                cores += each.nanoCores() * containers;
                memory += each.memoryBytes() * containers;
                window = each.window();
            }
        }
        return new Sample(clock.now(), window, cores, memory);
    }

    private static boolean runs(Pod pod) {
        return pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase());
    }

    private static Map<String, String> annotations(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? Map.of() : annotations;
    }

    @Override
    public Map<String, Sample> containers(JsonNode pod) {
        String node = pod.at("/spec/nodeName").asText();
        if (!pod.at("/status/phase").asText().equals("Running")) {
            return Map.of();
        }
        Map<String, Sample> samples = new HashMap<>();
        if (node.equals(machine)) {
            meter.pod(uidOnNode(pod)).forEach((name, measured) -> samples.put(name, sample(measured)));
        } else if (simulated.test(node)) {
            Map<String, String> annotations = new HashMap<>();
            pod.at("/metadata/annotations")
                    .properties()
                    .forEach(entry ->
                            annotations.put(entry.getKey(), entry.getValue().asText()));
            Sample each = sample(SimulatedUsage.of(annotations, clock.now()));
            pod.at("/spec/containers")
                    .forEach(container -> samples.put(container.path("name").asText(), each));
        }
        return samples;
    }

    /** A mirror shows a pod that the node knows by another uid. */
    private static String uidOnNode(JsonNode pod) {
        String mirrored = pod.at("/metadata/annotations").path(MIRROR).asText("");
        return mirrored.isEmpty() ? pod.at("/metadata/uid").asText() : mirrored;
    }

    private static Sample sample(io.argosy.node.usage.Sample measured) {
        return new Sample(measured.at(), measured.window(), measured.nanoCores(), measured.memoryBytes());
    }
}
