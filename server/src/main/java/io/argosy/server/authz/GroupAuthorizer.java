package io.argosy.server.authz;

import io.argosy.server.authn.User;
import java.util.List;
import java.util.Set;

/**
 * The rules before there are roles: masters and the cluster's own components may do everything, who is authenticated may look around, and
 * everybody may ask for health and version.
 */
public final class GroupAuthorizer implements Authorizer {
    private static final Set<String> ALL_POWERFUL = Set.of(User.MASTERS, "system:nodes", "system:argosy:components");
    private static final Set<String> PUBLIC = Set.of("/healthz", "/livez", "/readyz", "/version");
    private static final List<String> DISCOVERY = List.of("/api", "/apis", "/openapi");
    private static final Set<String> SELF_REVIEWS =
            Set.of("selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews");

    @Override
    public boolean allows(Action action) {
        for (String group : action.user().groups()) {
            if (ALL_POWERFUL.contains(group)) {
                return true;
            }
        }
        boolean known = action.user().groups().contains(User.AUTHENTICATED);
        if (action.isOnResource()) {
            return known
                    && SELF_REVIEWS.contains(action.resource())
                    && action.verb().equals("create");
        }
        if (!action.verb().equals("get")) {
            return false;
        }
        return isBelow(action.path(), PUBLIC) || (known && isBelow(action.path(), DISCOVERY));
    }

    private static boolean isBelow(String path, Iterable<String> roots) {
        for (String root : roots) {
            if (path.equals(root) || path.startsWith(root + "/")) {
                return true;
            }
        }
        return false;
    }
}
