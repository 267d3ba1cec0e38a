package io.argosy.cluster;

import io.argosy.controllers.Controllers;
import io.argosy.server.authn.User;
import io.argosy.server.authz.node.NodeIdentity;
import java.util.List;

/** Who the parts of this process are: nodes and controllers are who they would be on machines of their own. */
final class Identities {
    /** The program that a cluster is embedded in, which may do everything. */
    static final User EMBEDDER = new User("argosy:embedder", List.of(User.MASTERS, User.AUTHENTICATED));

    static final String SERVER = "system:apiserver";

    private static final String CONTROLLER_PREFIX = "system:serviceaccount:kube-system:";

    private Identities() {}

    /** The name of the account that a control loop works under. */
    static String controller(String loop) {
        return loop.equals(Controllers.MANAGER) ? "system:" + loop : CONTROLLER_PREFIX + loop;
    }

    static User of(String name) {
        if (name.startsWith(NodeIdentity.PREFIX)) {
            return new User(name, List.of(NodeIdentity.GROUP, User.AUTHENTICATED));
        }
        return name.startsWith(CONTROLLER_PREFIX)
                ? new User(
                        name,
                        List.of("system:serviceaccounts", "system:serviceaccounts:kube-system", User.AUTHENTICATED))
                : new User(name, List.of(User.AUTHENTICATED));
    }
}
