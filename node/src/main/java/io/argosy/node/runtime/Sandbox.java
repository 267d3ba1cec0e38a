package io.argosy.node.runtime;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox as it stands now. A sandbox in the host's network has no addresses of its own.
 *
 * @param users what the pod's users are on the host, if it has a user namespace of its own
 */
public record Sandbox(
        String id,
        PodIdentity pod,
        State state,
        List<String> addresses,
        boolean hostNetwork,
        Optional<IdRange> users,
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

    public Sandbox withState(State now) {
        return new Sandbox(id, pod, now, addresses, hostNetwork, users, createdAt, labels);
    }
}
