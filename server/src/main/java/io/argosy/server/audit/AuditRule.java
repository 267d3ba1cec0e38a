package io.argosy.server.audit;

import io.argosy.server.authz.Authorizer.Action;
import java.util.List;
import java.util.Set;

/**
 * What is written of the requests it fits. Of what a rule does not say any will do.
 *
 * @param namespaces the empty name stands for what is in none
 * @param omitManagedFields null where the policy's own word counts
 */
record AuditRule(
        Level level,
        List<String> users,
        List<String> userGroups,
        List<String> verbs,
        List<Resources> resources,
        List<String> namespaces,
        List<String> nonResourceUrls,
        Set<Stage> omitStages,
        Boolean omitManagedFields) {

    /** Resources of one group; all of them if none is named. */
    record Resources(String group, List<String> resources, List<String> names) {
        boolean fits(Action action) {
            if (!group.equals(action.group())) {
                return false;
            }
            boolean named = names.isEmpty() || names.contains(action.name());
            return resources.isEmpty() || named && resources.stream().anyMatch(one -> fits(one, action));
        }

        private static boolean fits(String pattern, Action action) {
            String part = action.subresource();
            String whole = part.isEmpty() ? action.resource() : action.resource() + "/" + part;
            return pattern.equals("*")
                    || pattern.equals(whole)
                    || !part.isEmpty() && pattern.equals("*/" + part)
                    || pattern.equals(action.resource() + "/*");
        }
    }

    boolean fits(Action action) {
        return any(users, action.user().name())
                && (userGroups.isEmpty() || action.user().groups().stream().anyMatch(userGroups::contains))
                && any(verbs, action.verb())
                && fitsSubject(action);
    }

    private static boolean any(List<String> allowed, String value) {
        return allowed.isEmpty() || allowed.contains(value);
    }

    private boolean fitsSubject(Action action) {
        if (!namespaces.isEmpty() || !resources.isEmpty()) {
            return action.isOnResource()
                    && any(namespaces, action.namespace())
                    && (resources.isEmpty() || resources.stream().anyMatch(one -> one.fits(action)));
        }
        return nonResourceUrls.isEmpty()
                || !action.isOnResource() && nonResourceUrls.stream().anyMatch(url -> fitsPath(url, action.path()));
    }

    private static boolean fitsPath(String pattern, String path) {
        return pattern.equals(path)
                || pattern.endsWith("*") && path.startsWith(pattern.substring(0, pattern.length() - 1));
    }
}
