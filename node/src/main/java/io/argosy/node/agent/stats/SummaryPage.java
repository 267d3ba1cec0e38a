package io.argosy.node.agent.stats;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.files.FolderUse;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.SandboxStats.Network;
import io.argosy.node.runtime.Stalls;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.Sample;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a node and its pods use, in the form of kubelet's {@code /stats/summary}. */
final class SummaryPage {
    private final NodeUse node;
    private final String time;
    private final boolean brief;

    /** A brief one tells of processors and memory only. */
    private SummaryPage(NodeUse node, boolean brief) {
        this.node = node;
        this.brief = brief;
        time = time(node.at());
    }

    static byte[] of(String name, Measure measure, List<PodUse> pods, boolean brief) {
        SummaryPage page = new SummaryPage(measure.node(), brief);
        ObjectNode root = Json.object();
        page.node(root.putObject("node").put("nodeName", name));
        var list = root.putArray("pods");
        for (PodUse pod : pods) {
            ObjectNode tree = list.addObject();
            page.pod(tree, pod, measure.meter().pod(PodFacts.uid(pod.pod())));
            if (!brief) {
                measure.claims(pod.pod())
                        .forEach(claim -> page.claim(tree.withArray("volume").addObject(), pod.pod(), claim));
            }
        }
        return Json.encode(root);
    }

    private void node(ObjectNode tree) {
        node.counters().ifPresent(read -> {
            tree.put("startTime", time(read.since()));
            ObjectNode cpu = tree.putObject("cpu").put("time", time);
            node.sample().ifPresent(sample -> cpu.put("usageNanoCores", sample.nanoCores()));
            cpu.put("usageCoreNanoSeconds", read.cpuNanos());
            tree.putObject("memory")
                    .put("time", time)
                    .put("availableBytes", read.availableBytes())
                    .put("usageBytes", read.memoryBytes())
                    .put("workingSetBytes", read.memoryBytes());
            stalls(tree, node.stalls());
        });
        if (brief) {
            return;
        }
        nodeNetwork(tree);
        node.nodeFs().ifPresent(space -> fileSystem(tree.putObject("fs"), space));
        ObjectNode runtime = tree.putObject("runtime");
        node.imageFs().ifPresent(space -> fileSystem(runtime.putObject("imageFs"), space));
        node.nodeFs().ifPresent(space -> fileSystem(runtime.putObject("containerFs"), space));
        node.tasks().ifPresent(tasks -> rlimit(tree.putObject("rlimit"), tasks));
    }

    private void rlimit(ObjectNode tree, MachineCounters.Tasks tasks) {
        tree.put("time", time).put("maxpid", tasks.most()).put("curproc", tasks.current());
    }

    private void nodeNetwork(ObjectNode tree) {
        if (node.interfaces().isEmpty()) {
            return;
        }
        ObjectNode network = tree.putObject("network").put("time", time);
        Map.Entry<String, Network> first =
                node.interfaces().entrySet().iterator().next();
        traffic(network.put("name", first.getKey()), first.getValue());
        var interfaces = network.putArray("interfaces");
        node.interfaces().forEach((name, use) -> traffic(interfaces.addObject().put("name", name), use));
    }

    private static void traffic(ObjectNode tree, Network network) {
        tree.put("rxBytes", network.received().bytes())
                .put("rxErrors", network.received().errors())
                .put("txBytes", network.sent().bytes())
                .put("txErrors", network.sent().errors());
    }

    private void pod(ObjectNode tree, PodUse use, Map<String, Sample> samples) {
        tree.putObject("podRef")
                .put("name", PodFacts.name(use.pod()))
                .put("namespace", PodFacts.namespace(use.pod()))
                .put("uid", PodFacts.uid(use.pod()));
        if (use.pod().getStatus() != null) {
            tree.put("startTime", use.pod().getStatus().getStartTime());
        }
        var containers = tree.putArray("containers");
        long nanoCores = 0;
        for (PodUse.ContainerUse container : use.containers()) {
            Optional<Sample> sample =
                    Optional.ofNullable(samples.get(container.status().name()));
            nanoCores += sample.map(Sample::nanoCores).orElse(0L);
            container(containers.addObject(), container, sample);
        }
        usage(tree, use.usage(), nanoCores);
        if (brief) {
            return;
        }
        traffic(tree.putObject("network").put("time", time).put("name", "eth0"), use.network());
        var volumes = tree.putArray("volume");
        use.volumes().forEach((name, volume) -> {
            ObjectNode each = volumes.addObject();
            folder(each, volume.use());
            each.put("name", name);
        });
        folder(tree.putObject("ephemeral-storage"), use.ephemeralStorage());
        tree.putObject("process_stats").put("process_count", use.usage().pids());
    }

    private void claim(ObjectNode tree, Pod pod, Measure.ClaimUse use) {
        fileSystem(tree, use.space());
        tree.put("name", use.volume());
        tree.putObject("pvcRef").put("name", use.claim()).put("namespace", PodFacts.namespace(pod));
    }

    private void container(ObjectNode tree, PodUse.ContainerUse use, Optional<Sample> sample) {
        tree.put("name", use.status().name())
                .put(
                        "startTime",
                        time(use.status().startedAt().orElse(use.status().createdAt())));
        usage(tree, use.usage(), sample.map(Sample::nanoCores).orElse(0L));
        if (!brief) {
            folder(tree.putObject("rootfs"), use.rootfs());
            folder(tree.putObject("logs"), use.logs());
        }
    }

    private void usage(ObjectNode tree, Usage usage, long nanoCores) {
        tree.putObject("cpu")
                .put("time", time)
                .put("usageNanoCores", nanoCores)
                .put("usageCoreNanoSeconds", usage.cpuNanos());
        tree.putObject("memory")
                .put("time", time)
                .put("usageBytes", usage.memoryBytes())
                .put("workingSetBytes", usage.workingSetBytes())
                .put("rssBytes", usage.rssBytes());
        stalls(tree, usage.stalls());
    }

    /** Beside what is told of processors and memory; of disks nothing else is told here. */
    private void stalls(ObjectNode tree, Stalls stalls) {
        stalls.cpu().ifPresent(stall -> stall(tree.withObjectProperty("cpu"), stall));
        stalls.memory().ifPresent(stall -> stall(tree.withObjectProperty("memory"), stall));
        if (!brief) {
            stalls.io().ifPresent(stall -> stall(tree.putObject("io").put("time", time), stall));
        }
    }

    private static void stall(ObjectNode tree, Stalls.Stall stall) {
        ObjectNode psi = tree.putObject("psi");
        share(psi.putObject("full"), stall.full());
        share(psi.putObject("some"), stall.some());
    }

    private static void share(ObjectNode tree, Stalls.Share share) {
        tree.put("total", share.total())
                .put("avg10", share.avg10())
                .put("avg60", share.avg60())
                .put("avg300", share.avg300());
    }

    /** What lies in a folder, beside what its file system has. */
    private void folder(ObjectNode tree, FolderUse use) {
        tree.put("time", time);
        node.nodeFs()
                .ifPresent(space -> tree.put("availableBytes", space.available())
                        .put("capacityBytes", space.capacity())
                        .put("inodesFree", space.inodesFree())
                        .put("inodes", space.inodes()));
        tree.put("usedBytes", use.bytes()).put("inodesUsed", use.inodes());
    }

    private void fileSystem(ObjectNode tree, DiskSpace space) {
        tree.put("time", time)
                .put("availableBytes", space.available())
                .put("capacityBytes", space.capacity())
                .put("usedBytes", space.used())
                .put("inodesFree", space.inodesFree())
                .put("inodes", space.inodes())
                .put("inodesUsed", space.inodes() - space.inodesFree());
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
