package io.argosy.node.runtime;

import java.nio.file.Path;

/**
 * A folder or file of the host seen inside a container. A mount over /etc/hosts and the like replaces the pod's own.
 *
 * @param recursive whether read-only also holds for what is mounted below
 * @param noExec whether nothing in it can be run
 */
public record Mount(
        Path hostPath,
        String containerPath,
        boolean readOnly,
        boolean recursive,
        Propagation propagation,
        boolean noExec) {
    public Mount(Path hostPath, String containerPath, boolean readOnly, Propagation propagation) {
        this(hostPath, containerPath, readOnly, false, propagation, false);
    }

    /** Which way later mounts below this one travel. */
    public enum Propagation {
        PRIVATE,
        HOST_TO_CONTAINER,
        BIDIRECTIONAL
    }

    public static Mount of(Path hostPath, String containerPath) {
        return new Mount(hostPath, containerPath, false, Propagation.PRIVATE);
    }

    public static Mount readOnly(Path hostPath, String containerPath) {
        return new Mount(hostPath, containerPath, true, Propagation.PRIVATE);
    }
}
