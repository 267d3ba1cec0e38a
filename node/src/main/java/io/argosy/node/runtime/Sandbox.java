package io.argosy.node.runtime;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A sandbox as it stands now. A sandbox in the host's network has no addresses of its own. */
public record Sandbox(
        String id,
        PodIdentity pod,
        State state,
        List<String> addresses,
        boolean hostNetwork,
        Instant createdAt,
        Map<String, String> labels) {

    /** Whether containers can be made in it. */
    public enum State {
        READY,
        NOT_READY
    }

    public Sandbox {
        addresses = List.copyOf(addresses);
        labels = Map.copyOf(labels);
    }
}
