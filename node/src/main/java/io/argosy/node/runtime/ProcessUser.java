package io.argosy.node.runtime;

import java.util.List;

/** Whom a container's first process began as, as seen from inside; the groups beside its own are in the order given. */
public record ProcessUser(long uid, long gid, List<Long> groups) {
    public ProcessUser {
        groups = List.copyOf(groups);
    }
}
