package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.Set;

/** One reason why a pod could not run on a node. */
public interface Filter {
    String name();

    /** Looks at the pod once, before nodes are tried; null when this filter cannot reject it anywhere. */
    Check prepare(PodInfo pod, ClusterState cluster);

    /** Events after which a pod that was rejected here may deserve another try. */
    Set<ClusterEvent.Kind> wakesOn();

    /** Whether an event of such a kind is really worth another try; when in doubt, yes. */
    default boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return true;
    }

    /** The filter for one pod: a pure function of the node, given the other pods. */
    interface Check {
        /** Null when the pod may go there. */
        Rejection reject(NodeInfo node);

        /** Why the pod can go nowhere at all, whatever the nodes; null when it depends on them. */
        default Rejection refusal() {
            return null;
        }

        /** The only nodes that can do, by name; null when they cannot be told without looking. */
        default Set<String> nodes() {
            return null;
        }

        /** What would be, if another pod stood on a node. */
        default void added(PodInfo other, NodeInfo node) {}

        /** What would be, if a pod were gone from its node. */
        default void removed(PodInfo other, NodeInfo node) {}

        /** What must be done before the pod can be bound to a node that was not rejected; null when nothing. */
        default Preparation preparation(NodeInfo node) {
            return null;
        }
    }

    /** Something that must be done elsewhere before a pod can be bound. */
    interface Preparation {}
}
