package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.authn.User;
import io.argosy.server.authz.RoleIndex.Held;
import io.argosy.server.authz.RoleIndex.Kind;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.List;

/**
 * Role-based access control: somebody may do what the roles bound to them, or to a group of theirs, allow; masters may do everything.
 * Roles and bindings are those of the registry, followed write by write, so that a change holds as soon as it is acknowledged.
 */
public final class RbacAuthorizer implements Authorizer {
    public static final String GROUP = "rbac.authorization.k8s.io";

    private static final Decision MASTER = new Decision(true, "");

    private final RoleIndex stored = new RoleIndex();

    /** What is asked beside the stored objects until those are all there. */
    private volatile RoleIndex provisional = new RoleIndex();

    /** Follows the registry's roles and bindings; the registry is open. */
    public void follow(Registry registry) {
        for (Kind kind : Kind.values()) {
            registry.store(GROUP, kind.resource).cache().follow(change -> {
                CachedObject object = change.current();
                if (change.deleted()) {
                    stored.remove(kind, object.namespace(), object.name());
                } else {
                    stored.put(kind, Json.decodeObject(object.json()));
                }
            });
        }
    }

    /** Lets built-in roles and bindings hold before they are stored; those that are stored already count as they are stored. */
    public void expect(List<? extends JsonNode> builtIn) {
        RoleIndex expected = new RoleIndex();
        for (JsonNode object : builtIn) {
            Kind kind = kind(object);
            JsonNode metadata = object.path("metadata");
            if (!stored.has(
                    kind,
                    metadata.path("namespace").asText(""),
                    metadata.path("name").asText())) {
                expected.put(kind, object);
            }
        }
        provisional = expected;
    }

    /** From now on only what is stored holds. */
    public void expectNothing() {
        provisional = new RoleIndex();
    }

    private static Kind kind(JsonNode object) {
        return switch (object.path("kind").asText()) {
            case "Role" -> Kind.ROLE;
            case "ClusterRole" -> Kind.CLUSTER_ROLE;
            case "RoleBinding" -> Kind.ROLE_BINDING;
            case "ClusterRoleBinding" -> Kind.CLUSTER_ROLE_BINDING;
            default -> throw new IllegalArgumentException("not a role or binding: " + object.path("kind"));
        };
    }

    @Override
    public Decision decide(Action action) {
        if (action.user().groups().contains(User.MASTERS)) {
            return MASTER;
        }
        Held found = find(action, "");
        if (found == null && !action.namespace().isEmpty()) {
            found = find(action, action.namespace());
        }
        return found == null ? Decision.NO : new Decision(true, found.grant().reason(found.subject()));
    }

    private Held find(Action action, String namespace) {
        Held found =
                find(action, namespace, RoleGrant.Subject.user(action.user().name()));
        for (int i = 0; found == null && i < action.user().groups().size(); i++) {
            found = find(
                    action,
                    namespace,
                    RoleGrant.Subject.group(action.user().groups().get(i)));
        }
        return found;
    }

    private Held find(Action action, String namespace, String subject) {
        for (RoleIndex index : List.of(stored, provisional)) {
            for (Held held : index.held(namespace, subject)) {
                for (PolicyRule rule : rules(held.grant())) {
                    if (rule.allows(action)) {
                        return held;
                    }
                }
            }
        }
        return null;
    }

    private List<PolicyRule> rules(RoleGrant grant) {
        List<PolicyRule> rules = stored.rules(grant);
        if (rules == null) {
            rules = provisional.rules(grant);
        }
        return rules == null ? List.of() : rules;
    }

    /** The rules of a role; null if there is no such role. */
    List<PolicyRule> rulesOf(String kind, String namespace, String name) {
        List<PolicyRule> rules = stored.rules(kind, namespace, name);
        return rules == null ? provisional.rules(kind, namespace, name) : rules;
    }

    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        List<PolicyRule> rules = new ArrayList<>();
        if (user.groups().contains(User.MASTERS)) {
            rules.addAll(PolicyRule.FULL_AUTHORITY);
        }
        List<String> subjects = new ArrayList<>();
        subjects.add(RoleGrant.Subject.user(user.name()));
        user.groups().forEach(group -> subjects.add(RoleGrant.Subject.group(group)));
        for (String place : namespace.isEmpty() ? List.of("") : List.of("", namespace)) {
            for (String subject : subjects) {
                for (RoleIndex index : List.of(stored, provisional)) {
                    index.held(place, subject).forEach(held -> rules.addAll(rules(held.grant())));
                }
            }
        }
        return rules;
    }
}
