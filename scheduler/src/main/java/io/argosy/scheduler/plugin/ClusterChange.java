package io.argosy.scheduler.plugin;

/** What can happen in a cluster that may make room for a waiting pod. */
public enum ClusterChange {
    NODE_ADDED,
    NODE_ALLOCATABLE,
    NODE_LABELS,
    NODE_TAINTS,
    POD_REMOVED
}
