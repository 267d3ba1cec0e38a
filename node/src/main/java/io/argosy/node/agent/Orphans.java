package io.argosy.node.agent;

import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.agent.volume.Trees;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
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
                PodIdentity pod = sandbox.pod();
                Trees.delete(config.logs().resolve(pod.namespace() + "_" + pod.name() + "_" + uid));
            }
            volumes.tearDown(uid);
        } catch (RuntimeException | IOException e) {
            LOG.warn("leftovers of pod {} could not be removed", uid, e);
        }
    }
}
