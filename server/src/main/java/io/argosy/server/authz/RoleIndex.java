package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Roles by name and grants by place and subject, kept up to date change by change: however many there are, a question looks only at those
 * for the one who asks, where they ask. One writer; readers need no lock.
 */
final class RoleIndex {
    /** The four kinds. */
    enum Kind {
        ROLE("roles"),
        CLUSTER_ROLE("clusterroles"),
        ROLE_BINDING("rolebindings"),
        CLUSTER_ROLE_BINDING("clusterrolebindings");

        final String resource;

        Kind(String resource) {
            this.resource = resource;
        }

        boolean isRole() {
            return this == ROLE || this == CLUSTER_ROLE;
        }
    }

    /** One subject's share of a grant. */
    record Held(RoleGrant grant, RoleGrant.Subject subject) {}

    private record Place(String namespace, String subject) {}

    private record Key(Kind kind, String namespace, String name) {}

    private final Map<Key, List<PolicyRule>> roles = new ConcurrentHashMap<>();
    private final Map<Key, RoleGrant> grants = new ConcurrentHashMap<>();
    private final Map<Place, List<Held>> bySubject = new ConcurrentHashMap<>();

    void put(Kind kind, JsonNode object) {
        JsonNode metadata = object.path("metadata");
        Key key = new Key(
                kind,
                metadata.path("namespace").asText(""),
                metadata.path("name").asText());
        if (kind.isRole()) {
            roles.put(key, PolicyRule.ofRole(object));
        } else {
            RoleGrant grant = RoleGrant.of(object);
            replace(grants.put(key, grant), grant);
        }
    }

    void remove(Kind kind, String namespace, String name) {
        Key key = new Key(kind, namespace, name);
        if (kind.isRole()) {
            roles.remove(key);
        } else {
            replace(grants.remove(key), null);
        }
    }

    boolean has(Kind kind, String namespace, String name) {
        Key key = new Key(kind, namespace, name);
        return kind.isRole() ? roles.containsKey(key) : grants.containsKey(key);
    }

    /** The new grant is in before the old one is out, so that nobody loses in between what both give. */
    private void replace(RoleGrant before, RoleGrant after) {
        if (after != null) {
            for (RoleGrant.Subject subject : after.subjects()) {
                bySubject.merge(
                        new Place(after.namespace(), subject.key()),
                        List.of(new Held(after, subject)),
                        RoleIndex::joined);
            }
        }
        if (before != null) {
            for (RoleGrant.Subject subject : before.subjects()) {
                bySubject.computeIfPresent(
                        new Place(before.namespace(), subject.key()), (place, held) -> without(held, before));
            }
        }
    }

    private static List<Held> joined(List<Held> held, List<Held> added) {
        List<Held> all = new ArrayList<>(held);
        all.addAll(added);
        return List.copyOf(all);
    }

    @SuppressWarnings("ReferenceEquality") // an unchanged grant written again is equal, but not the one to take out
    private static List<Held> without(List<Held> held, RoleGrant grant) {
        List<Held> rest = held.stream().filter(one -> one.grant() != grant).toList();
        return rest.isEmpty() ? null : rest;
    }

    /** What the subject was given in the namespace; empty for the whole cluster. */
    List<Held> held(String namespace, String subject) {
        return bySubject.getOrDefault(new Place(namespace, subject), List.of());
    }

    /** The rules of the role that the grant gives; null if there is no such role. */
    List<PolicyRule> rules(RoleGrant grant) {
        return rules(grant.roleKind(), grant.namespace(), grant.roleName());
    }

    /** The rules of a role; null if there is no such role. */
    List<PolicyRule> rules(String kind, String namespace, String name) {
        return roles.get(
                kind.equals("Role") ? new Key(Kind.ROLE, namespace, name) : new Key(Kind.CLUSTER_ROLE, "", name));
    }
}
