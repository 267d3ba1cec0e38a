package io.argosy.node.agent.eviction;

import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.pod.Resizing;
import io.argosy.node.agent.stats.PodUse;
import io.argosy.node.files.FolderUse;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.SandboxStats.Network;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Pods of one container, and what they use. */
final class Uses {
    static final long MEBI = 1 << 20;

    private Uses() {}

    static PodBuilder pod(String name, int priority) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withUid(name)
                .endMetadata()
                .withNewSpec()
                .withPriority(priority)
                .addNewContainer()
                .withName("web")
                .withNewResources()
                .endResources()
                .endContainer()
                .endSpec();
    }

    /** A pod of which nothing more is known. */
    static PodView view(Pod pod, Instant now) {
        return view(pod, now, Optional.empty());
    }

    static PodView view(Pod pod, Instant now, Optional<PodView.Ending> ending) {
        return new PodView(
                pod,
                false,
                ending,
                Optional.empty(),
                Map.of(),
                Map.of(),
                Map.of(),
                Map.of(),
                false,
                Map.of(),
                false,
                Resizing.NONE,
                now);
    }

    static PodBuilder requesting(PodBuilder pod, String resource, String amount) {
        return pod.editSpec()
                .editContainer(0)
                .editResources()
                .addToRequests(resource, new Quantity(amount))
                .endResources()
                .endContainer()
                .endSpec();
    }

    static PodBuilder limited(PodBuilder pod, String resource, String amount) {
        return pod.editSpec()
                .editContainer(0)
                .editResources()
                .addToLimits(resource, new Quantity(amount))
                .endResources()
                .endContainer()
                .endSpec();
    }

    static PodUse use(Pod pod, long memory, long disk, long pids, Map<String, PodUse.VolumeUse> volumes) {
        ContainerStats.Usage usage =
                new ContainerStats.Usage(0, memory, memory, memory, 0, pids, ContainerStats.Throttling.NONE);
        String name = pod.getMetadata().getName();
        ContainerStatus status = new ContainerStatus(
                "c-" + name,
                "s-" + name,
                new PodIdentity("default", name, name, 0),
                "web",
                0,
                ContainerStatus.State.RUNNING,
                OptionalLong.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                "",
                "",
                Path.of("/"),
                "",
                Optional.empty(),
                Map.of());
        return new PodUse(
                pod,
                usage,
                Network.NONE,
                List.of(new PodUse.ContainerUse(status, usage, new FolderUse(disk, disk / 1024), FolderUse.NONE)),
                volumes);
    }

    static PodUse memory(PodBuilder pod, long mebibytes) {
        return use(pod.build(), mebibytes * MEBI, 0, 1, Map.of());
    }

    static PodUse disk(PodBuilder pod, long mebibytes) {
        return use(pod.build(), 0, mebibytes * MEBI, 1, Map.of());
    }

    static PodUse pids(PodBuilder pod, long count) {
        return use(pod.build(), 0, 0, count, Map.of());
    }
}
