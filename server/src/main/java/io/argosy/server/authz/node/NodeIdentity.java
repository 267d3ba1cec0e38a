package io.argosy.server.authz.node;

import io.argosy.server.authn.User;
import java.util.Optional;

/** Which node somebody is: by a name with the nodes' prefix, and in the nodes' group; one of the two alone proves nothing. */
public final class NodeIdentity {
    public static final String PREFIX = "system:node:";
    public static final String GROUP = "system:nodes";

    private NodeIdentity() {}

    /** The node's name, which is empty if it has none; nothing if the user is no node. */
    static Optional<String> of(User user) {
        return user.name().startsWith(PREFIX) && user.groups().contains(GROUP)
                ? Optional.of(user.name().substring(PREFIX.length()))
                : Optional.empty();
    }
}
