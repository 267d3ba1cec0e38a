package io.argosy.node.runtime;

/** Which pod, and which attempt at its sandbox, something belongs to. */
public record PodIdentity(String namespace, String name, String uid, int attempt) {}
