package io.argosy.node.agent;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes away what is left on the node of pods that were deleted while no agent ran, and of ended ones when room is short. */
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
            uids.addAll(config.logs().uids());
        } catch (IOException e) {
            LOG.warn("the folders of logs cannot be listed: {}", e.toString());
        }
        return uids;
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
            config.logs().remove(uid);
        } catch (RuntimeException | IOException e) {
            LOG.warn("leftovers of pod {} could not be removed", uid, e);
        }
    }

    /** Removes containers and logs of pods that have ended but are known still; whether there were any. */
    boolean clear(List<PodView> ended) {
        Map<String, PodView> known = new HashMap<>();
        ended.forEach(view -> known.put(PodFacts.uid(view.pod()), view));
        boolean any = false;
        for (Sandbox sandbox : runtime.sandboxes()) {
            PodView view = known.get(sandbox.pod().uid());
            if (view != null) {
                try {
                    runtime.removeSandbox(sandbox.id());
                    config.logs().remove(PodFacts.uid(view.pod()));
                    any = true;
                } catch (RuntimeException | IOException e) {
                    LOG.warn("what pod {} left could not be removed", PodFacts.fullName(view.pod()), e);
                }
            }
        }
        return any;
    }
}
