package io.argosy.node.agent.stats;

import io.argosy.api.metrics.Exposition;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.spec.ResourceLimits;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.SandboxStats.Network;
import io.argosy.node.runtime.SandboxStats.Traffic;
import io.argosy.node.runtime.Stalls;
import io.fabric8.kubernetes.api.model.Container;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What pods and their containers use, in the families that people scrape from kubelet. */
final class UsageMetrics {
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e6;

    private final Exposition page;
    private final List<PodUse> pods;

    UsageMetrics(Exposition page, List<PodUse> pods) {
        this.page = page;
        this.pods = pods;
    }

    // ---- /metrics/resource

    void resource(NodeUse node) {
        page.counter(
                "container_cpu_usage_seconds_total",
                "[STABLE] Cumulative cpu time consumed by the container in core-seconds");
        containers(use -> use.cpuNanos() / NANOS);
        page.gauge("container_memory_working_set_bytes", "[STABLE] Current working set of the container in bytes");
        containers(Usage::workingSetBytes);
        page.gauge("container_start_time_seconds", "[STABLE] Start time of the container since unix epoch in seconds");
        each((pod, container) -> page.sample(start(container), plain(pod, container)));
        node.counters().ifPresent(read -> {
            page.counter(
                            "node_cpu_usage_seconds_total",
                            "[STABLE] Cumulative cpu time consumed by the node in core-seconds")
                    .sample(read.cpuNanos() / NANOS);
            page.gauge("node_memory_working_set_bytes", "[STABLE] Current working set of the node in bytes")
                    .sample(read.memoryBytes());
        });
        page.counter("pod_cpu_usage_seconds_total", "[STABLE] Cumulative cpu time consumed by the pod in core-seconds");
        pods.forEach(pod -> page.sample(pod.usage().cpuNanos() / NANOS, ofPod(pod)));
        page.gauge("pod_memory_working_set_bytes", "[STABLE] Current working set of the pod in bytes");
        pods.forEach(pod -> page.sample(pod.usage().workingSetBytes(), ofPod(pod)));
        page.gauge(
                        "resource_scrape_error",
                        "[STABLE] 1 if there was an error while getting container metrics, 0 otherwise")
                .sample(node.counters().isPresent() ? 0 : 1);
    }

    private void containers(ToDoubleFunction<Usage> value) {
        each((pod, container) -> page.sample(value.applyAsDouble(container.usage()), plain(pod, container)));
    }

    private static String[] plain(PodUse pod, PodUse.ContainerUse container) {
        return new String[] {
            "container", container.status().name(),
            "namespace", PodFacts.namespace(pod.pod()),
            "pod", PodFacts.name(pod.pod())
        };
    }

    private static String[] ofPod(PodUse pod) {
        return new String[] {"namespace", PodFacts.namespace(pod.pod()), "pod", PodFacts.name(pod.pod())};
    }

    // ---- /metrics/cadvisor

    /** The machine's own families, then those of containers; a pod as a whole has an empty container name. */
    void cadvisor(NodeUse node) {
        page.gauge("machine_cpu_cores", "Number of logical CPU cores.")
                .sample(Runtime.getRuntime().availableProcessors());
        node.counters()
                .ifPresent(read -> page.gauge("machine_memory_bytes", "Amount of memory installed on the machine.")
                        .sample(read.memoryBytes() + read.availableBytes()));
        page.counter("container_cpu_usage_seconds_total", "Cumulative cpu time consumed in seconds.");
        groups(use -> use.cpuNanos() / NANOS, "cpu", "total");
        page.counter("container_cpu_cfs_periods_total", "Number of elapsed enforcement period intervals.");
        groups(use -> use.throttling().periods());
        page.counter("container_cpu_cfs_throttled_periods_total", "Number of throttled period intervals.");
        groups(use -> use.throttling().throttledPeriods());
        page.counter(
                "container_cpu_cfs_throttled_seconds_total", "Total time duration the container has been throttled.");
        groups(use -> use.throttling().throttledNanos() / NANOS);
        page.gauge(
                "container_memory_usage_bytes",
                "Current memory usage in bytes, including all memory regardless of when it was accessed");
        groups(Usage::memoryBytes);
        page.gauge("container_memory_working_set_bytes", "Current working set in bytes.");
        groups(Usage::workingSetBytes);
        page.gauge("container_memory_rss", "Size of RSS in bytes.");
        groups(Usage::rssBytes);
        page.gauge("container_memory_cache", "Number of bytes of page cache memory.");
        groups(Usage::cacheBytes);
        page.gauge("container_processes", "Number of processes running inside the container.");
        groups(Usage::pids);
        limits();
        page.gauge(
                "container_fs_usage_bytes", "Number of bytes that are consumed by the container on this filesystem.");
        each((pod, container) ->
                page.sample(container.disk().bytes(), labels(pod, Optional.of(container), "device", "")));
        page.gauge("container_start_time_seconds", "Start time of the container since unix epoch in seconds.");
        each((pod, container) -> page.sample(start(container), labels(pod, Optional.of(container))));
        page.gauge("container_last_seen", "Last time a container was seen by the exporter");
        each((pod, container) -> page.sample(seconds(node.at()), labels(pod, Optional.of(container))));
        stalls("cpu", "CPU", Stalls::cpu);
        stalls("memory", "memory", Stalls::memory);
        stalls("io", "IO", Stalls::io);
        network();
    }

    /** Where the kernel keeps no such count there are no such families. */
    private void stalls(String resource, String name, Function<Stalls, Optional<Stalls.Stall>> which) {
        if (pods.stream().allMatch(pod -> which.apply(pod.usage().stalls()).isEmpty())) {
            return;
        }
        String family = "container_pressure_" + resource;
        page.counter(
                family + "_stalled_seconds_total",
                "Time in which all tasks of the container waited for want of " + name + ".");
        groups(use -> seconds(which.apply(use.stalls()).map(Stalls.Stall::full)));
        page.counter(
                family + "_waiting_seconds_total",
                "Time in which some task of the container waited for want of " + name + ".");
        groups(use -> seconds(which.apply(use.stalls()).map(Stalls.Stall::some)));
    }

    private static double seconds(Optional<Stalls.Share> share) {
        return share.map(Stalls.Share::total).orElse(0L) / MICROS;
    }

    private void groups(ToDoubleFunction<Usage> value, String... more) {
        for (PodUse pod : pods) {
            page.sample(value.applyAsDouble(pod.usage()), labels(pod, Optional.empty(), more));
        }
        each((pod, container) ->
                page.sample(value.applyAsDouble(container.usage()), labels(pod, Optional.of(container), more)));
    }

    /** Zero where there is no limit. */
    private void limits() {
        page.gauge("container_spec_memory_limit_bytes", "Memory limit for the container.");
        spec(limits -> limits.memoryLimit().orElse(0));
        page.gauge("container_spec_cpu_shares", "CPU share of the container.");
        spec(limits -> limits.cpuShares().orElse(0));
        page.gauge("container_spec_cpu_quota", "CPU quota of the container.");
        spec(limits -> limits.cpuQuota().orElse(0));
        page.gauge("container_spec_cpu_period", "CPU period of the container.");
        spec(limits -> limits.cpuPeriod().orElse(0));
    }

    private void spec(ToDoubleFunction<LinuxResources> value) {
        each((pod, container) -> {
            Optional<Container> said =
                    PodFacts.container(pod.pod(), container.status().name());
            said.map(spec -> ResourceLimits.of(pod.pod(), spec, 0))
                    .ifPresent(limits -> page.sample(value.applyAsDouble(limits), labels(pod, Optional.of(container))));
        });
    }

    private void network() {
        direction("receive", "receiving", "received", Network::received);
        direction("transmit", "transmitting", "transmitted", Network::sent);
    }

    private void direction(String name, String doing, String done, Function<Network, Traffic> traffic) {
        String family = "container_network_" + name + "_";
        page.counter(family + "bytes_total", "Cumulative count of bytes " + done);
        traffic(network -> traffic.apply(network).bytes());
        page.counter(family + "packets_total", "Cumulative count of packets " + done);
        traffic(network -> traffic.apply(network).packets());
        page.counter(family + "errors_total", "Cumulative count of errors encountered while " + doing);
        traffic(network -> traffic.apply(network).errors());
        page.counter(family + "packets_dropped_total", "Cumulative count of packets dropped while " + doing);
        traffic(network -> traffic.apply(network).dropped());
    }

    private void traffic(ToDoubleFunction<Network> value) {
        for (PodUse pod : pods) {
            if (!PodFacts.hostNetwork(pod.pod())) {
                page.sample(value.applyAsDouble(pod.network()), labels(pod, Optional.empty(), "interface", "eth0"));
            }
        }
    }

    private static String[] labels(PodUse pod, Optional<PodUse.ContainerUse> container, String... more) {
        String group = "/" + ResourceLimits.cgroupParent(pod.pod());
        String image = container
                .flatMap(c -> PodFacts.container(pod.pod(), c.status().name()))
                .map(Container::getImage)
                .orElse("");
        String[] all = new String[12 + more.length];
        List<String> fixed = List.of(
                "container", container.map(c -> c.status().name()).orElse(""),
                "id", container.map(c -> group + "/" + c.status().id()).orElse(group),
                "image", image,
                "name", container.map(c -> c.status().id()).orElse(""),
                "namespace", PodFacts.namespace(pod.pod()),
                "pod", PodFacts.name(pod.pod()));
        fixed.toArray(all);
        System.arraycopy(more, 0, all, fixed.size(), more.length);
        return all;
    }

    private interface OfContainer {
        void write(PodUse pod, PodUse.ContainerUse container);
    }

    private void each(OfContainer write) {
        pods.forEach(pod -> pod.containers().forEach(container -> write.write(pod, container)));
    }

    private static double start(PodUse.ContainerUse container) {
        return seconds(container.status().startedAt().orElse(container.status().createdAt()));
    }

    private static double seconds(Instant instant) {
        return instant.toEpochMilli() / 1e3;
    }
}
