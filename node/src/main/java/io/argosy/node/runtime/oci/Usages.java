package io.argosy.node.runtime.oci;

import io.argosy.api.time.Clock;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.SandboxStats;
import io.argosy.node.runtime.SandboxStats.Network;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what pods and containers use of the machine. */
final class Usages {
    private static final Usage NOTHING = new Usage(0, 0, 0, 0, 0);

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
                        size(new RootFilesystem(containers.folder(container.id())).writableLayer())));
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
            return new Network(0, 0, 0, 0);
        }
        List<String> lines = PodNamespaces.inNetwork(
                new PodNamespaces(sandboxes.folder(sandbox.id())).network(),
                () -> Files.readAllLines(Path.of("/proc/thread-self/net/dev")));
        for (String line : lines) {
            String[] fields = line.strip().split("[:\\s]+", -1);
            if (fields[0].equals("eth0")) {
                return new Network(
                        Long.parseLong(fields[1]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[9]),
                        Long.parseLong(fields[11]));
            }
        }
        return new Network(0, 0, 0, 0);
    }

    private static long size(Path folder) throws IOException {
        long[] total = new long[1];
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                total[0] += attributes.size();
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return total[0];
    }
}
