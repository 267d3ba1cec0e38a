package io.argosy.cluster.wire;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.controllers.catalog.ResourceCatalog;
import java.util.List;
import java.util.Set;

/** What the server serves, for controllers that deal with all kinds: each resource once, in the version it is stored in. */
public final class ServedResources implements ResourceCatalog {
    private final List<ApiResource> resources;

    public ServedResources(ResourceTypes types) {
        this.resources = types.all().stream()
                .filter(ResourceType::storedAsServed)
                .map(type -> new ApiResource(
                        type.groupVersion(), type.plural(), type.kind(), type.namespaced(), Set.copyOf(type.verbs())))
                .toList();
    }

    @Override
    public List<ApiResource> resources() {
        return resources;
    }

    /** The set of kinds does not change while the process runs. */
    @Override
    public void onChange(Runnable listener) {}
}
