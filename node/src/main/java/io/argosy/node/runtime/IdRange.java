package io.argosy.node.runtime;

/** Consecutive user and group ids of the host that a pod in a user namespace of its own sees as 0 and upwards. */
public record IdRange(long first, long length) {
    public boolean overlaps(IdRange other) {
        return first < other.first + other.length && other.first < first + length;
    }
}
