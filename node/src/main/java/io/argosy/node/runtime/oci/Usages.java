package io.argosy.node.runtime.oci;

import io.argosy.api.time.Clock;
import io.argosy.node.files.FolderUse;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStats.Throttling;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.SandboxStats;
import io.argosy.node.runtime.SandboxStats.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what pods and containers use of the machine. */
final class Usages {
    private static final Usage NOTHING = new Usage(0, 0, 0, 0, 0, 0, Throttling.NONE);

    private final Clock clock;
    private final Sandboxes sandboxes;
    private final Containers containers;
    private final Cgroups cgroups;

    Usages(Clock clock, Sandboxes sandboxes, Containers containers, Cgroups cgroups) {
        this.clock = clock;
        this.sandboxes = sandboxes;
        this.containers = containers;
        this.cgroups = cgroups;
    }

    Optional<ContainerStats> container(String id) throws IOException {
        Optional<ContainerRecord> found = containers.get(id);
        return found.isPresent() ? of(found.get()) : Optional.empty();
    }

    Optional<Usage> counters(String id) throws IOException {
        Optional<ContainerRecord> found = containers.get(id);
        return found.isPresent() ? cgroups.usage(found.get().cgroup()) : Optional.empty();
    }

    private Optional<ContainerStats> of(ContainerRecord container) throws IOException {
        Optional<Usage> usage = cgroups.usage(container.cgroup());
        return usage.isEmpty()
                ? Optional.empty()
                : Optional.of(new ContainerStats(
                        container.id(),
                        clock.now(),
                        usage.get(),
                        FolderUse.of(RootFilesystem.writableLayer(containers.folder(container.id())))));
    }

    Optional<SandboxStats> sandbox(String id) throws IOException {
        Optional<SandboxRecord> found = sandboxes.get(id);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<ContainerStats> each = new ArrayList<>();
        for (ContainerRecord container : containers.all()) {
            if (container.sandboxId().equals(id) && containers.alive(container)) {
                of(container).ifPresent(each::add);
            }
        }
        return Optional.of(new SandboxStats(
                id, clock.now(), cgroups.usage(found.get().cgroup()).orElse(NOTHING), traffic(found.get()), each));
    }

    private Network traffic(SandboxRecord sandbox) throws IOException {
        if (sandbox.namespaces().hostNetwork() || !sandboxes.ready(sandbox)) {
            return Network.NONE;
        }
        List<String> lines = PodNamespaces.inNetwork(
                new PodNamespaces(sandboxes.folder(sandbox.id())).network(),
                () -> Files.readAllLines(Path.of("/proc/thread-self/net/dev")));
        return Network.parse(lines).getOrDefault("eth0", Network.NONE);
    }
}
