package io.argosy.node.agent.admission;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/** Whether there is room for a pod on the node beside the others: whoever names a node himself goes round the scheduler. */
@FunctionalInterface
public interface Room {
    /** For nodes that take whatever comes. */
    Room ENDLESS = (pod, others) -> List.of();

    /** All that is in the way, the first being what is said of it. */
    List<Obstacle> obstacles(Pod pod, List<Pod> others);
}
