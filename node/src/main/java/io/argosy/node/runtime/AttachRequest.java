package io.argosy.node.runtime;

/** Which streams of a container's own process are wanted. */
public record AttachRequest(boolean stdin, boolean stdout, boolean stderr) {}
