package io.argosy.node.runtime;

/** How a command run to its end came out. */
@SuppressWarnings("ArrayRecordComponent") // never compared, only handed on
public record ExecResult(int exitCode, byte[] stdout, byte[] stderr) {}
