package io.argosy.controllers.volume.attachdetach;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/**
 * A volume that pods of a node need there.
 *
 * @param pods those of the node
 * @param elsewhere where else it is attached, or may be; looked up for a volume that one node only may have
 */
record Need(Attachable volume, List<Pod> pods, List<Holder> elsewhere) {
    /**
     * Another node with an attachment of the volume.
     *
     * @param attached whether it is known to be attached, and is to stay so
     * @param failing whether it could not be attached there so far
     * @param pods those that need it there
     */
    record Holder(String node, boolean attached, boolean failing, List<Pod> pods) {}
}
