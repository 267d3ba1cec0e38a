package io.argosy.node.runtime;

/** How a command run to its end came out. */
public record ExecResult(int exitCode, byte[] stdout, byte[] stderr) {}
