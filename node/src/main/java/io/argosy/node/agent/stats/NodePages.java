package io.argosy.node.agent.stats;

import io.argosy.api.metrics.Exposition;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.log.SystemLogs;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.ContainerStatus;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What the agent tells of its node to those who ask by a path, as kubelet does on its port. Made when asked for. */
public final class NodePages {
    private final NodeConfig config;
    private final String version;
    private final Measure measure;
    private final ProbeCounts probes;
    private final PreemptionCounts preemptions;
    private final SystemLogs logs = new SystemLogs();
    private final Supplier<Collection<PodView>> pods;

    /** An answer in full. */
    public record Page(String contentType, byte[] content) {}

    public NodePages(
            NodeConfig config,
            String version,
            Measure measure,
            ProbeCounts probes,
            PreemptionCounts preemptions,
            Supplier<Collection<PodView>> pods) {
        this.config = config;
        this.version = version;
        this.measure = measure;
        this.probes = probes;
        this.preemptions = preemptions;
        this.pods = pods;
    }

    /** The page at this path, without a slash in front; empty if there is none. */
    public Optional<Page> page(String path, Map<String, String> parameters) {
        return switch (path) {
            case "stats/summary" ->
                Optional.of(new Page(
                        "application/json",
                        summary(parameters
                                .getOrDefault("only_cpu_and_memory", "")
                                .equals("true"))));
            case "runningpods" -> Optional.of(new Page("application/json", RunningPods.of(pods.get())));
            case "configz" -> Optional.of(new Page("application/json", ConfigPage.of(config)));
            case "metrics" -> Optional.of(metrics(this::own));
            case "metrics/resource" -> Optional.of(metrics(page -> usage(page).resource(measure.node())));
            case "metrics/cadvisor" -> Optional.of(metrics(page -> usage(page).cadvisor(measure.node())));
            case "metrics/probes" -> Optional.of(metrics(probes::writeTo));
            default -> Optional.empty();
        };
    }

    /** What the machine itself has logged, by the path below its folder. */
    public Optional<SystemLogs.Document> systemLog(String path) throws IOException {
        return logs.open(path);
    }

    private byte[] summary(boolean brief) {
        return SummaryPage.of(config.name(), measure, uses(), brief);
    }

    private UsageMetrics usage(Exposition page) {
        return new UsageMetrics(page, uses());
    }

    private List<PodUse> uses() {
        return pods.get().stream().flatMap(view -> measure.pod(view).stream()).toList();
    }

    private static Page metrics(java.util.function.Consumer<Exposition> writer) {
        Exposition page = new Exposition(false);
        writer.accept(page);
        return new Page(Exposition.TEXT, page.bytes());
    }

    private void own(Exposition page) {
        Collection<PodView> views = pods.get();
        Map<ContainerStatus.State, Integer> states = new EnumMap<>(ContainerStatus.State.class);
        views.forEach(view -> view.containers()
                .values()
                .forEach(instances -> states.merge(instances.current().state(), 1, Integer::sum)));
        page.gauge("kubelet_node_name", "[ALPHA] The node's name. The count is always 1.")
                .sample(1, "node", config.name());
        page.gauge("kubelet_running_pods", "[BETA] Number of pods that have a running pod sandbox")
                .sample(views.stream().filter(PodView::sandboxReady).count());
        page.gauge("kubelet_running_containers", "[BETA] Number of containers currently running");
        states.forEach((state, count) ->
                page.sample(count, "container_state", state.name().toLowerCase(Locale.ROOT)));
        page.gauge(
                        "kubernetes_build_info",
                        "[ALPHA] A metric with a constant '1' value labeled by the version of the node's agent.")
                .sample(1, "git_version", version);
        preemptions.writeTo(page);
        new VolumeMetrics(page, measure, views).write();
    }
}
