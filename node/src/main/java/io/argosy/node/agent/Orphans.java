package io.argosy.node.agent;

import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes away what is left on the node of pods that were deleted while no agent ran. */
final class Orphans {
    private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final ContainerRuntime runtime;
    private final PodVolumes volumes;
    private final NodeConfig config;

    Orphans(ContainerRuntime runtime, PodVolumes volumes, NodeConfig config) {
        this.runtime = runtime;
        this.volumes = volumes;
        this.config = config;
    }

    /** The uids of all pods that have a folder of volumes or logs on this node. */
    Set<String> folders() {
        Set<String> uids = new HashSet<>(volumes.known());
        try {
            for (Path folder : logFolders()) {
                String name = folder.getFileName().toString();
                uids.add(name.substring(name.lastIndexOf('_') + 1));
            }
        } catch (IOException e) {
            LOG.warn("cannot list {}: {}", config.logs(), e.toString());
        }
        return uids;
    }

    private List<Path> logFolders() throws IOException {
        if (!Files.isDirectory(config.logs())) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(config.logs())) {
            return folders.toList();
        }
    }

    void remove(String uid, List<Sandbox> sandboxes, List<ContainerStatus> containers) {
        LOG.info("removing what is left of pod {}, which is gone", uid);
        try {
            for (ContainerStatus container : containers) {
                if (container.state() == ContainerStatus.State.RUNNING) {
                    runtime.stopContainer(container.id(), GRACE);
                }
            }
            for (Sandbox sandbox : sandboxes) {
                runtime.removeSandbox(sandbox.id());
            }
            volumes.tearDown(uid);
            for (Path folder : logFolders()) {
                if (folder.getFileName().toString().endsWith("_" + uid)) {
                    Trees.delete(folder);
                }
            }
        } catch (RuntimeException | IOException e) {
            LOG.warn("leftovers of pod {} could not be removed", uid, e);
        }
    }
}
