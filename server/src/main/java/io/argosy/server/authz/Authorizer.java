package io.argosy.server.authz;

import io.argosy.server.authn.User;
import java.util.List;

/** Says whether somebody may do something, and what all they may do. */
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

    /** Yes or no; the reason says by which rule, and is empty where there is nothing to say. */
    record Decision(boolean allowed, String reason) {
        static final Decision NO = new Decision(false, "");
    }

    Decision decide(Action action);

    /** Every rule that lets the user do something in the namespace; those of the whole cluster alone if it is empty. */
    List<PolicyRule> rules(User user, String namespace);

    default boolean allows(Action action) {
        return decide(action).allowed();
    }
}
