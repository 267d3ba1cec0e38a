package io.argosy.node.agent.stats;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.files.FolderUse;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.SandboxStats;
import io.argosy.node.runtime.SandboxStats.Network;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.UsageMeter;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the machine and its pods when somebody asks; nothing is kept. */
public final class MachineMeasure implements Measure {
    private static final Logger LOG = LoggerFactory.getLogger(MachineMeasure.class);
    private static final Path INTERFACES = Path.of("/proc/net/dev");

    private final NodeConfig config;
    private final ContainerRuntime runtime;
    private final PodVolumes volumes;
    private final Path images;
    private final MachineCounters counters;
    private final UsageMeter meter;
    private final Clock clock;

    public MachineMeasure(
            NodeConfig config,
            ContainerRuntime runtime,
            PodVolumes volumes,
            Path images,
            MachineCounters counters,
            UsageMeter meter,
            Clock clock) {
        this.config = config;
        this.runtime = runtime;
        this.volumes = volumes;
        this.images = images;
        this.counters = counters;
        this.meter = meter;
        this.clock = clock;
    }

    @Override
    public UsageMeter meter() {
        return meter;
    }

    @Override
    public NodeUse node() {
        return new NodeUse(
                clock.now(),
                counters.read(),
                meter.node(),
                counters.tasks(),
                counters.stalls(),
                space(config.home()),
                space(images),
                interfaces());
    }

    private static Optional<DiskSpace> space(Path path) {
        try {
            return Optional.of(DiskSpace.of(path));
        } catch (IOException e) {
            LOG.warn("{}", e.getMessage());
            return Optional.empty();
        }
    }

    /** The other ends of pods' interfaces and the loopback are nobody's business here. */
    private static Map<String, Network> interfaces() {
        try {
            Map<String, Network> all = new LinkedHashMap<>(Network.parse(Files.readAllLines(INTERFACES)));
            all.keySet().removeIf(name -> name.equals("lo") || name.startsWith("veth"));
            return all;
        } catch (IOException e) {
            LOG.debug("the machine's interfaces cannot be read: {}", e.toString());
            return Map.of();
        }
    }

    @Override
    public Optional<PodUse> pod(PodView view) {
        Optional<SandboxStats> stats = view.sandbox().flatMap(s -> runtime.sandboxStats(s.id()));
        return stats.map(found ->
                new PodUse(view.pod(), found.usage(), found.network(), containers(view, found), volumes(view.pod())));
    }

    private List<PodUse.ContainerUse> containers(PodView view, SandboxStats stats) {
        List<PodUse.ContainerUse> containers = new ArrayList<>();
        for (ContainerStats each : stats.containers()) {
            view.containers().values().stream()
                    .map(PodView.Instances::current)
                    .filter(status -> status.id().equals(each.containerId()))
                    .findFirst()
                    .ifPresent(status -> containers.add(new PodUse.ContainerUse(
                            status, each.usage(), each.writableLayer(), logs(view.pod(), status))));
        }
        return containers;
    }

    private FolderUse logs(Pod pod, ContainerStatus container) {
        return use(config.logs().of(pod).resolve(container.name()));
    }

    private Map<String, PodUse.VolumeUse> volumes(Pod pod) {
        Map<String, PodUse.VolumeUse> uses = new LinkedHashMap<>();
        for (Volume volume : pod.getSpec().getVolumes()) {
            boolean inMemory = PodVolumes.inMemory(volume);
            volumes.ownFolder(pod, volume)
                    .ifPresent(folder -> uses.put(volume.getName(), new PodUse.VolumeUse(use(folder), inMemory)));
        }
        return uses;
    }

    @Override
    public List<ClaimUse> claims(Pod pod) {
        List<ClaimUse> uses = new ArrayList<>();
        for (Volume volume : pod.getSpec().getVolumes()) {
            volumes.claim(pod, volume)
                    .ifPresent(placed -> space(placed.path())
                            .ifPresent(found -> uses.add(new ClaimUse(volume.getName(), placed.claim(), found))));
        }
        return uses;
    }

    private static FolderUse use(Path folder) {
        try {
            return FolderUse.of(folder);
        } catch (IOException e) {
            LOG.debug("{} cannot be measured: {}", folder, e.toString());
            return FolderUse.NONE;
        }
    }
}
