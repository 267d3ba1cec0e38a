package io.argosy.node.agent.stats;

import io.argosy.node.agent.pod.PodView;
import io.argosy.node.usage.UsageMeter;
import java.util.Optional;

/** What the node and its pods use now. */
public interface Measure {
    NodeUse node();

    /** Empty for a pod of which nothing runs. */
    Optional<PodUse> pod(PodView view);

    /** What processors are in use over time. */
    UsageMeter meter();
}
