package io.argosy.node.runtime;

import java.time.Instant;
import java.util.List;

/** What a pod has used: the whole pod's control group, its network interface, and each running container. */
public record SandboxStats(
        String sandboxId, Instant at, ContainerStats.Usage usage, Network network, List<ContainerStats> containers) {

    public SandboxStats {
        containers = List.copyOf(containers);
    }

    /** Traffic of the pod's interface; all zero in the host's network. */
    public record Network(long receivedBytes, long receivedErrors, long sentBytes, long sentErrors) {}
}
