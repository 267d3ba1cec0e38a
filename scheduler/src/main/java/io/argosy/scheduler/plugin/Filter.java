package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.Set;

/** One reason why a pod could not run on a node: a pure function of the two. */
public interface Filter {
    String name();

    /** False when this pod can never be rejected here, so that the filter is left out for it. */
    boolean concerns(PodInfo pod);

    /** Null when the pod may go there. */
    Rejection reject(PodInfo pod, NodeInfo node);

    /** Changes after which a pod that was rejected here deserves another try. */
    Set<ClusterChange> wakesOn();
}
