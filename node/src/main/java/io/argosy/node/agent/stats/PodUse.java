package io.argosy.node.agent.stats;

import io.argosy.node.files.FolderUse;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.SandboxStats.Network;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;

/**
 * What one pod uses of the node at one moment.
 *
 * @param usage of the pod's control group as a whole
 * @param containers those that run
 * @param volumes those that live and die with the pod, by name; those in memory are not on a disk
 */
public record PodUse(
        Pod pod, Usage usage, Network network, List<ContainerUse> containers, Map<String, VolumeUse> volumes) {

    /** A running container; on the disk it has its writable layer and its logs. */
    public record ContainerUse(ContainerStatus status, Usage usage, FolderUse rootfs, FolderUse logs) {
        public FolderUse disk() {
            return rootfs.plus(logs);
        }
    }

    /** A volume of the pod's own. */
    public record VolumeUse(FolderUse use, boolean inMemory) {}

    /** All that the pod has on the node's disk and that goes with it. */
    public FolderUse ephemeralStorage() {
        FolderUse sum = FolderUse.NONE;
        for (ContainerUse container : containers) {
            sum = sum.plus(container.disk());
        }
        for (VolumeUse volume : volumes.values()) {
            sum = volume.inMemory ? sum : sum.plus(volume.use);
        }
        return sum;
    }
}
