package io.argosy.server.authz;

import io.argosy.api.selector.FieldSelector;
import io.argosy.server.authn.User;
import java.util.List;
import java.util.Optional;

/** Says whether somebody may do something, and what all they may do. */
public interface Authorizer {
    /**
     * What somebody wants to do: to a resource, or to a path that is none.
     *
     * @param selector to which objects a list, watch or deletion of many is confined
     */
    record Action(
            User user,
            String verb,
            String group,
            String version,
            String resource,
            String subresource,
            String namespace,
            String name,
            String path,
            FieldSelector selector) {
        public Action(
                User user,
                String verb,
                String group,
                String version,
                String resource,
                String subresource,
                String namespace,
                String name,
                String path) {
            this(user, verb, group, version, resource, subresource, namespace, name, path, FieldSelector.EVERYTHING);
        }

        public static Action onPath(User user, String verb, String path) {
            return new Action(user, verb, "", "", "", "", "", "", path);
        }

        /** The same with another verb. */
        public Action as(String other) {
            return new Action(user, other, group, version, resource, subresource, namespace, name, path, selector);
        }

        public boolean isOnResource() {
            return !resource.isEmpty();
        }
    }

    /** Yes or no; the reason says by which rule, and is empty where there is nothing to say. */
    record Decision(boolean allowed, String reason) {
        public static final Decision YES = new Decision(true, "");
        public static final Decision NO = new Decision(false, "");

        public static Decision no(String reason) {
            return new Decision(false, reason);
        }
    }

    Decision decide(Action action);

    /** Every rule that lets the user do something in the namespace; those of the whole cluster alone if it is empty. */
    List<PolicyRule> rules(User user, String namespace);

    /** Why the rules are not all that the user may do; empty if they are. */
    default Optional<String> beyondRules(User user) {
        return Optional.empty();
    }

    default boolean allows(Action action) {
        return decide(action).allowed();
    }
}
