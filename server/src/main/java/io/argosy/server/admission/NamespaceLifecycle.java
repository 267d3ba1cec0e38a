package io.argosy.server.admission;

import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.ResourceStore;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Objects are made only in namespaces that are there and stay; the namespaces the system lives in are not deleted. */
public final class NamespaceLifecycle implements Admission {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");
    private static final GroupResource NAMESPACES = new GroupResource("", "namespaces");

    private final Supplier<ResourceStore> namespaces;

    public NamespaceLifecycle(Supplier<ResourceStore> namespaces) {
        this.namespaces = namespaces;
    }

    /** Asked first, before other steps look for what else is missing in a namespace that is not there. */
    @Override
    public void mutate(Review review) {
        checkNamespace(review);
    }

    @Override
    public void validate(Review review) {
        if (review.operation() == Operation.DELETE
                && review.type().groupResource().equals(NAMESPACES)
                && IMMORTAL.contains(review.name())) {
            throw ApiException.forbidden(NAMESPACES, review.name(), "this namespace may not be deleted");
        }
        checkNamespace(review);
    }

    private void checkNamespace(Review review) {
        if (review.operation() != Operation.CREATE || !review.type().namespaced()) {
            return;
        }
        CachedObject namespace = namespaces.get().find("", review.namespace());
        if (namespace == null) {
            throw ApiException.notFound(NAMESPACES, review.namespace());
        }
        if (namespace.fields().getOrDefault("status.phase", "").equals("Terminating")) {
            throw terminating(review, namespace);
        }
    }

    private static ApiException terminating(Review review, CachedObject namespace) {
        String since = ApiObject.ofJson(namespace.json())
                .tree()
                .path("metadata")
                .path("deletionTimestamp")
                .asText();
        String resource = review.type().groupResource().toString();
        Cause cause = new Cause(
                "NamespaceTerminating",
                "namespace " + review.namespace() + " is being terminated since " + since,
                "metadata.namespace");
        return new ApiException(
                Reason.Forbidden,
                resource + " \"" + review.name() + "\" is forbidden: unable to create new content in namespace "
                        + review.namespace() + " because it is being terminated",
                Details.of(review.type().groupResource(), review.name()).withCauses(List.of(cause)));
    }
}
