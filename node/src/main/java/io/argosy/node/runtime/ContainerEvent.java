package io.argosy.node.runtime;

/** Something that happened to a container by itself: it exited. */
public record ContainerEvent(String containerId, String sandboxId, PodIdentity pod, String name, int exitCode) {}
