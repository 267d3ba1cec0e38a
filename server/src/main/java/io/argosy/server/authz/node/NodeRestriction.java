package io.argosy.server.authz.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.registry.Admission;
import java.util.List;

/**
 * Looks at what a node writes: itself, its lease, the state of its pods, mirrors of what it runs by itself, and tokens for its pods. Whom
 * it lets pass has {@link NodeAuthorizer}'s leave already.
 */
public final class NodeRestriction implements Admission {
    private static final String LEASES = "kube-node-lease";

    private final NodeRelations relations;
    private final Authorizer authorizer;

    public NodeRestriction(NodeAuthorizer nodes, Authorizer authorizer) {
        this.relations = nodes.relations();
        this.authorizer = authorizer;
    }

    @Override
    public void mutate(Review review) {
        if (review.operation() != Operation.CONNECT) {
            NodeIdentity.of(review.options().user()).ifPresent(node -> check(node, review));
        }
    }

    private void check(String node, Review review) {
        require(
                !node.isEmpty(),
                review,
                "could not determine node from user \""
                        + review.options().user().name() + "\"");
        switch (review.type().groupResource().toString()) {
            case "pods" -> pods(node, review);
            case "nodes" -> node(node, review);
            case "persistentvolumeclaims" -> claim(node, review);
            case "serviceaccounts" -> account(node, review);
            case "leases.coordination.k8s.io" -> lease(node, review);
            case "csinodes.storage.k8s.io" ->
                require(
                        review.name().equals(node),
                        review,
                        "can only access CSINode with the same name as the requesting node");
            case "resourceslices.resource.k8s.io" -> slice(node, review);
            default -> {
                // who may write the rest is for roles to say
            }
        }
    }

    private static void require(boolean good, Review review, String why) {
        if (!good) {
            throw ApiException.forbidden(review.type().groupResource(), review.name(), why);
        }
    }

    private void pods(String node, Review review) {
        switch (review.subresource()) {
            case "" -> pod(node, review);
            case "status" -> podStatus(node, review);
            case "eviction" ->
                require(
                        isOn(node, existing(review)),
                        review,
                        "node " + node + " can only evict pods with spec.nodeName set to itself");
            default ->
                require(
                        false,
                        review,
                        "unexpected pod subresource \"" + review.subresource()
                                + "\", only 'status' and 'eviction' are allowed");
        }
    }

    private static boolean isOn(String node, JsonNode pod) {
        return pod.at("/spec/nodeName").asText("").equals(node);
    }

    private JsonNode existing(Review review) {
        return pod(review, review.name());
    }

    private JsonNode pod(Review review, String name) {
        JsonNode pod = relations.find("", "pods", review.namespace(), name);
        if (pod.isMissingNode()) {
            throw ApiException.notFound(new GroupResource("", "pods"), name);
        }
        return pod;
    }

    private void pod(String node, Review review) {
        switch (review.operation()) {
            case CREATE -> mirror(node, review);
            case DELETE ->
                require(
                        isOn(node, review.before()),
                        review,
                        "node \"" + node + "\" can only delete pods with spec.nodeName set to itself");
            default ->
                require(
                        false,
                        review,
                        "unexpected operation \"" + review.operation() + "\", node \"" + node
                                + "\" can only create and delete mirror pods");
        }
    }

    private void mirror(String node, Review review) {
        ObjectNode pod = review.object();
        String self = "node \"" + node + "\" ";
        PodReferences references = PodReferences.of(pod);
        require(
                references.mirror(),
                review,
                "pod does not have \"" + PodReferences.MIRROR + "\" annotation, " + self
                        + "can only create mirror pods");
        require(isOn(node, pod), review, self + "can only create pods with spec.nodeName set to itself");
        owner(node, review, pod.at("/metadata/ownerReferences"));
        String refer = self + "can not create pods that reference ";
        require(references.account().isEmpty(), review, refer + "a service account");
        require(references.secrets().isEmpty(), review, refer + "secrets");
        require(references.configMaps().isEmpty(), review, refer + "configmaps");
        for (JsonNode volume : pod.at("/spec/volumes")) {
            for (JsonNode source : volume.at("/projected/sources")) {
                require(!source.hasNonNull("clusterTrustBundle"), review, refer + "clustertrustbundles");
            }
            require(!volume.hasNonNull("persistentVolumeClaim"), review, refer + "persistentvolumeclaims");
        }
        require(pod.at("/spec/resourceClaims").isEmpty(), review, refer + "resourceclaims");
    }

    private void owner(String node, Review review, JsonNode owners) {
        String only = "node \"" + node + "\" can only create pods with ";
        require(owners.size() <= 1, review, only + "a single owner reference set to itself");
        JsonNode owner = owners.path(0);
        require(
                owner.path("apiVersion").asText().equals("v1")
                        && owner.path("kind").asText().equals("Node")
                        && owner.path("name").asText().equals(node),
                review,
                only + "an owner reference set to itself");
        require(owner.path("controller").asBoolean(), review, only + "a controller owner reference set to itself");
        require(
                !owner.path("blockOwnerDeletion").asBoolean(),
                review,
                "node \"" + node + "\" must not set blockOwnerDeletion on an owner reference");
        JsonNode self = relations.find("", "nodes", "", node);
        if (self.isMissingNode()) {
            throw ApiException.notFound(new GroupResource("", "nodes"), node);
        }
        String uid = self.at("/metadata/uid").asText();
        require(
                owner.path("uid").asText().equals(uid),
                review,
                "node " + node + " UID mismatch: expected " + owner.path("uid").asText() + " got " + uid);
    }

    private static void podStatus(String node, Review review) {
        String self = "node \"" + node + "\" ";
        require(review.operation() == Operation.UPDATE, review, "unexpected operation \"" + review.operation() + "\"");
        require(
                isOn(node, review.before()),
                review,
                self + "can only update pod status for pods with spec.nodeName set to itself");
        require(isSame(review, "/metadata/labels"), review, self + "cannot update labels through pod status");
        require(
                isSame(review, "/status/resourceClaimStatuses"),
                review,
                self + "cannot update resource claim statuses");
        require(
                isSame(review, "/status/extendedResourceClaimStatus"),
                review,
                self + "cannot update extended resource claim status");
    }

    private static boolean isSame(Review review, String path) {
        JsonNode after = review.object().at(path);
        JsonNode before = review.before().at(path);
        return after.equals(before) || (after.isEmpty() && before.isEmpty());
    }

    private static void node(String node, Review review) {
        require(
                review.name().equals(node),
                review,
                "node \"" + node + "\" is not allowed to modify node \"" + review.name() + "\"");
        switch (review.operation()) {
            case CREATE -> {
                List<String> labels =
                        NodeLabels.forbidden(review.object().at("/metadata/labels"), MissingNode.getInstance());
                require(
                        review.object().at("/spec/configSource").isMissingNode(),
                        review,
                        "node \"" + node + "\" is not allowed to create pods with a non-nil configSource");
                require(
                        labels.isEmpty(),
                        review,
                        "node \"" + node + "\" is not allowed to set the following labels: "
                                + String.join(", ", labels));
            }
            case UPDATE -> {
                require(
                        review.object().at("/spec/configSource").isMissingNode()
                                || isSame(review, "/spec/configSource"),
                        review,
                        "node \"" + node + "\" is not allowed to update configSource to a new non-nil configSource");
                require(
                        isSame(review, "/spec/taints"),
                        review,
                        "node \"" + node + "\" is not allowed to modify taints");
                List<String> labels = NodeLabels.forbidden(
                        review.object().at("/metadata/labels"), review.before().at("/metadata/labels"));
                require(labels.isEmpty(), review, "is not allowed to modify labels: " + String.join(", ", labels));
            }
            default -> {
                // nodes hold no right to delete nodes
            }
        }
    }

    private static void claim(String node, Review review) {
        require(review.subresource().equals("status"), review, "may only update PVC status");
        ObjectNode after = review.object().deepCopy();
        ObjectNode before = review.before().deepCopy();
        for (ObjectNode claim : List.of(after, before)) {
            ((ObjectNode) claim.get("metadata")).remove(List.of("resourceVersion", "managedFields"));
            if (claim.get("status") instanceof ObjectNode status) {
                status.remove(List.of("capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"));
            }
        }
        require(
                after.equals(before),
                review,
                "node \"" + node
                        + "\" is not allowed to update fields other than status.capacity and status.conditions");
    }

    private void account(String node, Review review) {
        if (review.operation() != Operation.CREATE || !review.subresource().equals("token")) {
            return;
        }
        JsonNode bound = review.object().at("/spec/boundObjectRef");
        String pod = bound.path("name").asText("");
        String uid = bound.path("uid").asText("");
        require(
                bound.path("apiVersion").asText().equals("v1")
                        && bound.path("kind").asText().equals("Pod")
                        && !pod.isEmpty(),
                review,
                "node requested token not bound to a pod");
        require(!uid.isEmpty(), review, "node requested token with a pod binding without a uid");
        JsonNode found = pod(review, pod);
        require(
                found.at("/metadata/uid").asText().equals(uid),
                review,
                "the UID in the bound object reference (" + uid
                        + ") does not match the UID in record. The object might have been deleted and then recreated");
        require(isOn(node, found), review, "node requested token bound to a pod scheduled on a different node");
        audience(review, found);
    }

    /** A node asks for what the pod's volumes, or the drivers that mount them, need; for more it needs a role. */
    private void audience(Review review, JsonNode pod) {
        JsonNode audiences = review.object().at("/spec/audiences");
        require(audiences.size() <= 1, review, "node may only request 0 or 1 audiences");
        String wanted = audiences.path(0).asText("");
        if (isUsed(pod, wanted)) {
            return;
        }
        Action asks = new Action(
                review.options().user(),
                "request-serviceaccounts-token-audience",
                "",
                "",
                wanted,
                "",
                review.namespace(),
                review.name(),
                "");
        require(
                !wanted.isEmpty() && authorizer.allows(asks),
                review,
                "audience \"" + wanted + "\" not found in pod spec volume");
    }

    private boolean isUsed(JsonNode pod, String wanted) {
        for (JsonNode volume : pod.at("/spec/volumes")) {
            for (JsonNode source : volume.at("/projected/sources")) {
                JsonNode token = source.path("serviceAccountToken");
                if (token.isObject() && token.path("audience").asText("").equals(wanted)) {
                    return true;
                }
            }
            String driver = volume.at("/csi/driver").asText("");
            for (JsonNode request :
                    relations.find("storage.k8s.io", "csidrivers", "", driver).at("/spec/tokenRequests")) {
                if (request.path("audience").asText("").equals(wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void lease(String node, Review review) {
        require(
                review.namespace().equals(LEASES),
                review,
                "can only access leases in the \"" + LEASES + "\" system namespace");
        require(
                review.name().equals(node),
                review,
                "can only access node lease with the same name as the requesting node");
    }

    private static void slice(String node, Review review) {
        JsonNode slice = review.object() == null ? review.before() : review.object();
        require(
                isOn(node, slice),
                review,
                review.operation() == Operation.DELETE
                        ? "can only delete ResourceSlice with the same NodeName as the requesting node"
                        : "can only create ResourceSlice with the same NodeName as the requesting node");
    }
}
