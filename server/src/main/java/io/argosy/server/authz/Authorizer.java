package io.argosy.server.authz;

import io.argosy.server.authn.User;

/** Says whether somebody may do something. */
@FunctionalInterface
public interface Authorizer {
    /** What somebody wants to do: to a resource, or to a path that is none. */
    record Action(
            User user,
            String verb,
            String group,
            String version,
            String resource,
            String subresource,
            String namespace,
            String name,
            String path) {
        public static Action onPath(User user, String verb, String path) {
            return new Action(user, verb, "", "", "", "", "", "", path);
        }

        public boolean isOnResource() {
            return !resource.isEmpty();
        }
    }

    boolean allows(Action action);
}
