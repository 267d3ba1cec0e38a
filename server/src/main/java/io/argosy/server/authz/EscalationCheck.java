package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.registry.Admission;
import java.util.List;

/**
 * Nobody gives away more than they have: who writes a role must hold all its rules, who binds one likewise, unless they were allowed
 * to escalate or to bind. Otherwise the right to write roles would be the right to everything.
 */
public final class EscalationCheck implements Admission {
    private final RbacAuthorizer authorizer;

    public EscalationCheck(RbacAuthorizer authorizer) {
        this.authorizer = authorizer;
    }

    @Override
    public void validate(Review review) {
        GroupResource resource = review.type().groupResource();
        if (!resource.group().equals(RbacAuthorizer.GROUP) || review.operation() == Operation.DELETE) {
            return;
        }
        switch (resource.resource()) {
            case "roles", "clusterroles" -> role(review);
            case "rolebindings", "clusterrolebindings" -> binding(review);
            default -> {
                // the group has no other resources
            }
        }
    }

    private void role(Review review) {
        User user = review.options().user();
        boolean sameRules = isSame(review, "rules");
        boolean sameAggregation = isSame(review, "aggregationRule");
        if ((sameRules && sameAggregation)
                || may(user, "escalate", review.type().plural(), review.namespace(), review.name())) {
            return;
        }
        if (!sameRules) {
            require(review, PolicyRule.ofRole(review.object()));
        }
        if (!sameAggregation && review.object().hasNonNull("aggregationRule") && !hasEverything(user)) {
            throw ApiException.forbidden(
                    review.type().groupResource(),
                    review.name(),
                    "must have cluster-admin privileges to use the aggregationRule");
        }
    }

    private boolean hasEverything(User user) {
        return Coverage.missing(authorizer.rules(user, ""), PolicyRule.FULL_AUTHORITY)
                .isEmpty();
    }

    private void binding(Review review) {
        JsonNode role = review.object().path("roleRef");
        if (review.before() != null && !isSame(review, "roleRef")) {
            throw ApiException.invalid(
                    RbacAuthorizer.GROUP,
                    review.type().kind(),
                    review.name(),
                    List.of(new Cause(
                            "FieldValueInvalid", "Invalid value: " + role + ": cannot change roleRef", "roleRef")));
        }
        if (isSame(review, "subjects") && review.before() != null) {
            return;
        }
        String kind = role.path("kind").asText();
        String name = role.path("name").asText();
        String resource = kind.equals("Role") ? "roles" : "clusterroles";
        if (may(review.options().user(), "bind", resource, review.namespace(), name)) {
            return;
        }
        List<PolicyRule> rules = authorizer.rulesOf(kind, review.namespace(), name);
        if (rules == null) {
            throw ApiException.notFound(new GroupResource(RbacAuthorizer.GROUP, resource), name);
        }
        require(review, rules);
    }

    private boolean may(User user, String verb, String resource, String namespace, String name) {
        return authorizer.allows(new Action(user, verb, RbacAuthorizer.GROUP, "v1", resource, "", namespace, name, ""));
    }

    private static boolean isSame(Review review, String field) {
        ObjectNode before = review.before();
        return before == null
                ? !review.object().hasNonNull(field)
                : before.path(field).equals(review.object().path(field));
    }

    private void require(Review review, List<PolicyRule> wanted) {
        User user = review.options().user();
        List<PolicyRule> missing = Coverage.missing(authorizer.rules(user, review.namespace()), wanted);
        if (missing.isEmpty()) {
            return;
        }
        StringBuilder words = new StringBuilder("user \"" + user.name() + "\" (groups="
                + PolicyRule.quoted(user.groups())
                + ") is attempting to grant RBAC permissions not currently held:");
        missing.forEach(rule -> words.append('\n').append(rule));
        throw ApiException.forbidden(review.type().groupResource(), review.name(), words.toString());
    }
}
