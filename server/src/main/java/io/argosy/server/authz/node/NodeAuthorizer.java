package io.argosy.server.authz.node;

import io.argosy.api.selector.FieldSelector;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.BootstrapPolicy;
import io.argosy.server.authz.PolicyRule;
import io.argosy.server.registry.Registry;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What nodes may do: read what the pods that they were given need, and nothing else of that kind; keep what tells of themselves. What a
 * request would write is not known here: {@link NodeRestriction} looks at that.
 */
public final class NodeAuthorizer implements Authorizer {
    private static final String ROLE = "system:node";
    private static final String LEASES = "kube-node-lease";
    private static final Set<String> KEEPING = Set.of("get", "create", "update", "patch", "delete");

    private final NodeRelations relations = new NodeRelations();

    /** What all nodes may do alike; read from the table when the first node asks. */
    private volatile List<PolicyRule> common;

    /** Follows what the registry knows of pods; it is open. */
    public void follow(Registry registry) {
        relations.follow(registry);
    }

    NodeRelations relations() {
        return relations;
    }

    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        return List.of();
    }

    @Override
    public Optional<String> beyondRules(User user) {
        return NodeIdentity.of(user).map(node -> "node authorizer does not support user rule resolution");
    }

    @Override
    public Decision decide(Action action) {
        Optional<String> node = NodeIdentity.of(action.user());
        if (node.isEmpty()) {
            return Decision.NO;
        }
        if (node.get().isEmpty()) {
            return Decision.no("unknown node for user \"" + action.user().name() + "\"");
        }
        return decide(node.get(), action);
    }

    private Decision decide(String node, Action action) {
        String namespace = action.namespace();
        String name = action.name();
        return switch (action.group() + "/" + action.resource()) {
            case "/secrets" -> read(node, action, () -> relations.usesSecret(node, namespace, name));
            case "/configmaps" -> read(node, action, () -> relations.usesConfigMap(node, namespace, name));
            case "/persistentvolumeclaims" -> claim(node, action);
            case "/persistentvolumes" -> get(node, action, () -> relations.usesVolume(node, name));
            case "resource.k8s.io/resourceclaims" ->
                get(node, action, () -> relations.usesResourceClaim(node, namespace, name));
            case "storage.k8s.io/volumeattachments" -> get(node, action, () -> relations.isAttachedTo(node, name));
            case "/serviceaccounts" -> account(node, action);
            case "coordination.k8s.io/leases" -> lease(node, action);
            case "storage.k8s.io/csinodes" -> csiNode(node, action);
            case "resource.k8s.io/resourceslices" -> slice(node, action);
            case "/nodes" -> node(node, action);
            case "/pods" -> pod(node, action);
            case "certificates.k8s.io/clustertrustbundles" -> bundle(action);
            default -> common(action);
        };
    }

    private Decision common(Action action) {
        List<PolicyRule> rules = common;
        if (rules == null) {
            rules = BootstrapPolicy.rulesOf(ROLE);
            common = rules;
        }
        return rules.stream().anyMatch(rule -> rule.allows(action)) ? Decision.YES : Decision.NO;
    }

    /** Asked only when everything else is right. */
    @FunctionalInterface
    private interface Relation {
        boolean holds();
    }

    private static Decision related(String node, Action action, Relation relation) {
        if (action.name().isEmpty()) {
            return Decision.no("No Object name found");
        }
        return relation.holds()
                ? Decision.YES
                : Decision.no("no relationship found between node '" + node + "' and this object");
    }

    private static Decision get(String node, Action action, Relation relation) {
        if (!action.verb().equals("get")) {
            return Decision.no("can only get individual resources of this type");
        }
        return action.subresource().isEmpty() ? related(node, action, relation) : Decision.no("cannot get subresource");
    }

    /** A single object may also be listed and watched, by its name. */
    private static Decision read(String node, Action action, Relation relation) {
        if (!Set.of("get", "list", "watch").contains(action.verb())) {
            return Decision.no("can only read resources of this type");
        }
        if (!action.subresource().isEmpty()) {
            return Decision.no("cannot read subresource");
        }
        return action.namespace().isEmpty()
                ? Decision.no("can only read namespaced object of this type")
                : related(node, action, relation);
    }

    private Decision claim(String node, Action action) {
        Relation relation = () -> relations.usesClaim(node, action.namespace(), action.name());
        if (!action.subresource().equals("status")) {
            return get(node, action, relation);
        }
        return Set.of("update", "patch").contains(action.verb())
                ? related(node, action, relation)
                : Decision.no("can only get/update/patch this type");
    }

    private Decision account(String node, Action action) {
        Relation relation = () -> relations.usesAccount(node, action.namespace(), action.name());
        if (action.verb().equals("get") && action.subresource().isEmpty()) {
            return related(node, action, relation);
        }
        if (!action.verb().equals("create") || action.name().isEmpty()) {
            return Decision.no("can only create tokens for individual service accounts");
        }
        return action.subresource().equals("token")
                ? related(node, action, relation)
                : Decision.no("can only create token subresource of serviceaccount");
    }

    private static Decision lease(String node, Action action) {
        if (!KEEPING.contains(action.verb())) {
            return Decision.no("can only get, create, update, patch, or delete a node lease");
        }
        if (!action.namespace().equals(LEASES)) {
            return Decision.no("can only access leases in the \"" + LEASES + "\" system namespace");
        }
        return isOwn(node, action)
                ? Decision.YES
                : Decision.no("can only access node lease with the same name as the requesting node");
    }

    private static Decision csiNode(String node, Action action) {
        if (!KEEPING.contains(action.verb())) {
            return Decision.no("can only get, create, update, patch, or delete a CSINode");
        }
        if (!action.subresource().isEmpty()) {
            return Decision.no("cannot authorize CSINode subresources");
        }
        return isOwn(node, action)
                ? Decision.YES
                : Decision.no("can only access CSINode with the same name as the requesting node");
    }

    /** What all may trust is no secret, and a node must learn that a server has none of it. */
    private static Decision bundle(Action action) {
        return Set.of("get", "list", "watch").contains(action.verb()) ? Decision.YES : Decision.NO;
    }

    /** The name of what is created is not known yet. */
    private static boolean isOwn(String node, Action action) {
        return action.verb().equals("create") || action.name().equals(node);
    }

    private Decision slice(String node, Action action) {
        if (!action.subresource().isEmpty()) {
            return Decision.no("cannot authorize ResourceSlice subresources");
        }
        return switch (action.verb()) {
            case "create" -> Decision.YES;
            case "get", "update", "patch", "delete" ->
                related(node, action, () -> relations.hasSlice(node, action.name()));
            case "watch", "list", "deletecollection" ->
                isConfinedTo(action, "spec.nodeName", node)
                        ? Decision.YES
                        : Decision.no(
                                "can only list/watch/deletecollection resourceslices with nodeName field selector");
            default ->
                Decision.no("only the following verbs are allowed for a ResourceSlice: get, watch, list, create,"
                        + " update, patch, delete, deletecollection");
        };
    }

    private static boolean isConfinedTo(Action action, String field, String node) {
        return action.selector().terms().contains(new FieldSelector.Term(field, node, true));
    }

    private static Decision node(String node, Action action) {
        return switch (action.subresource() + "/" + action.verb()) {
            case "/create", "/update", "/patch", "status/update", "status/patch" -> Decision.YES;
            case "/get", "/list", "/watch" -> {
                if (action.name().equals(node)) {
                    yield Decision.YES;
                }
                yield Decision.no("node '" + node + "' cannot read "
                        + (action.name().isEmpty() ? "all nodes" : "'" + action.name() + "'")
                        + ", only its own Node object");
            }
            default -> Decision.NO;
        };
    }

    private Decision pod(String node, Action action) {
        Relation own = () -> relations.hasPod(node, action.namespace(), action.name());
        return switch (action.subresource() + "/" + action.verb()) {
            case "/get" -> related(node, action, own);
            case "/list", "/watch" -> {
                if (isConfinedTo(action, "spec.nodeName", node)) {
                    yield Decision.YES;
                }
                yield action.name().isEmpty()
                        ? Decision.no("can only list/watch pods with spec.nodeName field selector")
                        : related(node, action, own);
            }
            case "/create", "/delete", "status/update", "status/patch", "eviction/create" -> Decision.YES;
            default -> Decision.NO;
        };
    }
}
