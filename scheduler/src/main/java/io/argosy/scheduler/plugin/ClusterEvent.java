package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** What can happen in a cluster that may let a waiting pod find a node. */
public sealed interface ClusterEvent {
    Kind kind();

    /** The kinds of events, so that a filter can say in one word what it does not care about. */
    enum Kind {
        NODE_ADDED,
        NODE_ALLOCATABLE,
        NODE_LABELS,
        NODE_TAINTS,
        NODE_GONE,
        POD_PLACED,
        POD_RELABELLED,
        POD_GONE,
        STORAGE,
        NAMESPACE
    }

    /** A node that is new, changed in one respect or is gone; in its newest state. */
    record OfNode(Kind kind, NodeInfo node) implements ClusterEvent {}

    /** A pod that came to a node, left it, or changed its labels there. */
    record OfPod(Kind kind, PodInfo pod) implements ClusterEvent {}

    /** A claim, a volume, a storage class, or what a CSI driver says of a node, that is new, changed or gone. */
    record OfStorage(HasMetadata object) implements ClusterEvent {
        @Override
        public Kind kind() {
            return Kind.STORAGE;
        }
    }

    /** A namespace that is new or changed its labels. */
    record OfNamespace(String name) implements ClusterEvent {
        @Override
        public Kind kind() {
            return Kind.NAMESPACE;
        }
    }
}
