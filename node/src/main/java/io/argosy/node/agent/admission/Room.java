package io.argosy.node.agent.admission;

import io.argosy.node.agent.pod.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;

/** Whether there is room for a pod on the node beside the others: whoever names a node himself goes round the scheduler. */
@FunctionalInterface
public interface Room {
    /** For nodes that take whatever comes. */
    Room ENDLESS = (pod, others) -> Optional.empty();

    /** What is in the way, if anything is. */
    Optional<PodView.Ending> refusal(Pod pod, List<Pod> others);
}
