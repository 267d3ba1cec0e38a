package io.argosy.node.agent.stats;

import io.argosy.node.agent.pod.PodView;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.usage.UsageMeter;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;

/** What the node and its pods use now. */
public interface Measure {
    NodeUse node();

    /** Empty for a pod of which nothing runs. */
    Optional<PodUse> pod(PodView view);

    /** The claims that the pod uses, and what the file systems below them have. */
    default List<ClaimUse> claims(Pod pod) {
        return List.of();
    }

    /** A claim that a pod uses by a volume of this name. */
    record ClaimUse(String volume, String claim, DiskSpace space) {}

    /** What processors are in use over time. */
    UsageMeter meter();
}
