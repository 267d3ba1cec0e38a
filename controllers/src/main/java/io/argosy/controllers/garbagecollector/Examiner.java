package io.argosy.controllers.garbagecollector;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.controllers.catalog.ObjectMetas.Meta;
import io.argosy.controllers.catalog.ObjectMetas.Owner;
import io.argosy.controllers.catalog.RawObjects;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.catalog.ResourceCatalog.ApiResource;
import io.argosy.controllers.garbagecollector.Verdict.Reference;
import io.argosy.controllers.garbagecollector.Verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Looks into one object whose right to exist is in question, asks the live API, and carries out the verdict. */
final class Examiner {
    private final DependencyGraph graph;
    private final AbsentOwners absent;
    private final ResourceCatalog catalog;
    private final RawObjects objects;
    private final Requests requests;

    /** What the examination of one object may ask for. */
    interface Requests {
        void examine(String uid);

        /** The object is not there, whatever the graph believes. */
        void forget(String uid);
    }

    Examiner(
            DependencyGraph graph,
            AbsentOwners absent,
            ResourceCatalog catalog,
            RawObjects objects,
            Requests requests) {
        this.graph = graph;
        this.absent = absent;
        this.catalog = catalog;
        this.objects = objects;
        this.requests = requests;
    }

    /** False when the object should be looked at again. */
    boolean examine(String uid) {
        Node node = graph.get(uid);
        if (node == null || (node.deleting() && !node.foreground())) {
            return true;
        }
        Meta latest = latest(node);
        if (latest == null) {
            return true;
        }
        if (node.foreground()) {
            return waitForDependents(node, latest);
        }
        boolean settled = true;
        List<Reference> references = new ArrayList<>();
        for (Owner owner : latest.owners()) {
            ApiResource resource = catalog.find(owner.apiVersion(), owner.kind())
                    .orElseThrow(() -> new IllegalStateException(
                            "unable to get REST mapping for " + owner.apiVersion() + "/" + owner.kind() + "."));
            if (resource.namespaced() && node.namespace().isEmpty()) {
                return true;
            }
            Node known = graph.get(owner.uid());
            if (known != null && known.isMeantBy(owner, node.namespace())) {
                references.add(new Reference(owner.uid(), known.foreground() ? Standing.WAITING : Standing.SOLID));
            } else {
                Standing standing = ask(owner, resource, node.namespace());
                settled &= standing == Standing.ABSENT || known != null;
                references.add(new Reference(owner.uid(), standing));
            }
        }
        carryOut(node, latest, references);
        return settled;
    }

    /** The graph does not know this owner: only the API can say whether it exists. */
    private Standing ask(Owner owner, ApiResource resource, String namespace) {
        if (absent.contains(owner, namespace)) {
            return Standing.ABSENT;
        }
        try {
            Meta found = objects.get(resource, namespace, owner.name());
            if (found.uid().equals(owner.uid())) {
                return found.deleting() && found.finalizers().contains(Node.FOREGROUND)
                        ? Standing.WAITING
                        : Standing.SOLID;
            }
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        absent.missing(owner, namespace);
        return Standing.ABSENT;
    }

    private void carryOut(Node node, Meta latest, List<Reference> references) {
        Verdict.Situation situation = new Verdict.Situation(
                graph.hasDependents(node.uid()),
                graph.dependentsOf(node.uid()).stream().anyMatch(Node::foreground),
                latest.finalizers().contains(Node.ORPHAN),
                latest.finalizers().contains(Node.FOREGROUND));
        switch (Verdict.on(references, situation)) {
            case Verdict.Keep() -> {}
            case Verdict.DropReferences(List<String> uids) ->
                patchOwners(node, latest, owner -> uids.contains(owner.uid()) ? null : owner);
            case Verdict.Delete(String policy, boolean unblockFirst) -> {
                if (unblockFirst) {
                    patchOwners(
                            node,
                            latest,
                            owner -> new Owner(
                                    owner.apiVersion(),
                                    owner.kind(),
                                    owner.name(),
                                    owner.uid(),
                                    owner.controller(),
                                    false));
                }
                delete(node, unblockFirst ? null : latest.resourceVersion(), policy);
            }
        }
    }

    /** An owner that is deleted in the foreground goes when nothing that blocks it is left. */
    private boolean waitForDependents(Node node, Meta latest) {
        List<Node> blocking = graph.dependentsOf(node.uid()).stream()
                .filter(dependent -> dependent.blocks(node.uid()))
                .toList();
        if (blocking.isEmpty()) {
            removeFinalizer(node, latest, Node.FOREGROUND);
        }
        for (Node dependent : blocking) {
            if (!dependent.foreground()) {
                requests.examine(dependent.uid());
            }
        }
        return true;
    }

    /** Takes the owner out of its dependents' references, then lets it go. */
    boolean orphan(String uid) {
        Node owner = graph.get(uid);
        if (owner == null || !owner.orphaning()) {
            return true;
        }
        for (Node dependent : graph.dependentsOf(uid)) {
            Meta latest = latest(dependent);
            if (latest != null
                    && latest.owners().stream()
                            .anyMatch(reference -> reference.uid().equals(uid))) {
                patchOwners(dependent, latest, reference -> reference.uid().equals(uid) ? null : reference);
            }
        }
        Meta latest = latest(owner);
        if (latest != null) {
            removeFinalizer(owner, latest, Node.ORPHAN);
        }
        return true;
    }

    /** The object as it is now, or null when it is gone or another has taken its name. */
    private Meta latest(Node node) {
        try {
            Meta found = objects.get(node.resource(), node.namespace(), node.name());
            if (found.uid().equals(node.uid())) {
                return found;
            }
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        requests.forget(node.uid());
        return null;
    }

    private void delete(Node node, String resourceVersion, String policy) {
        ObjectNode options = Json.object()
                .put("kind", "DeleteOptions")
                .put("apiVersion", "v1")
                .put("propagationPolicy", policy);
        ObjectNode preconditions = options.putObject("preconditions").put("uid", node.uid());
        if (resourceVersion != null) {
            preconditions.put("resourceVersion", resourceVersion);
        }
        try {
            objects.delete(node.resource(), node.namespace(), node.name(), options);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
            requests.forget(node.uid());
        }
    }

    private void removeFinalizer(Node node, Meta latest, String finalizer) {
        if (!latest.finalizers().contains(finalizer)) {
            return;
        }
        ObjectNode patch = Json.object();
        ArrayNode finalizers = identified(patch, latest).putArray("finalizers");
        latest.finalizers().stream().filter(held -> !held.equals(finalizer)).forEach(finalizers::add);
        patch(node, patch);
    }

    /** The function gives each reference's new form, or null to leave it out. */
    private void patchOwners(Node node, Meta latest, Function<Owner, Owner> change) {
        ObjectNode patch = Json.object();
        ArrayNode references = identified(patch, latest).putArray("ownerReferences");
        for (Owner before : latest.owners()) {
            Owner owner = change.apply(before);
            if (owner != null) {
                ObjectNode reference = references
                        .addObject()
                        .put("apiVersion", owner.apiVersion())
                        .put("kind", owner.kind())
                        .put("name", owner.name())
                        .put("uid", owner.uid());
                if (owner.controller()) {
                    reference.put("controller", true);
                }
                if (before.blocksDeletion()) {
                    reference.put("blockOwnerDeletion", owner.blocksDeletion());
                }
            }
        }
        patch(node, patch);
    }

    /** Only this very object, and only as it was seen. */
    private static ObjectNode identified(ObjectNode patch, Meta latest) {
        return patch.putObject("metadata").put("uid", latest.uid()).put("resourceVersion", latest.resourceVersion());
    }

    private void patch(Node node, ObjectNode patch) {
        try {
            objects.mergePatch(node.resource(), node.namespace(), node.name(), patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
            requests.forget(node.uid());
        }
    }
}
