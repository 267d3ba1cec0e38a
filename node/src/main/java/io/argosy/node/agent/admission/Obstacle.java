package io.argosy.node.agent.admission;

import io.argosy.node.agent.pod.PodView;
import java.util.Optional;

/**
 * What keeps a pod from running beside the others of its node.
 *
 * @param why in the words of the pod's status
 * @param shortage of what the node has too little; nothing where other pods are not to blame
 */
public record Obstacle(PodView.Ending why, Optional<Shortage> shortage) {
    /**
     * What would have to be freed.
     *
     * @param amount in thousandths of a processor, bytes, or pieces
     */
    public record Shortage(String resource, long amount) {}
}
