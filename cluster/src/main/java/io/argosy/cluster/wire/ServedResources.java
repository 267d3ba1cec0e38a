package io.argosy.cluster.wire;

import io.argosy.api.GroupResource;
import io.argosy.api.kinds.ResourceType;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.server.registry.Registry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the server serves, for controllers that deal with all kinds: each resource once, in the version it is stored in where that is served. */
public final class ServedResources implements ResourceCatalog {
    private final Registry registry;

    public ServedResources(Registry registry) {
        this.registry = registry;
    }

    @Override
    public List<ApiResource> resources() {
        Map<GroupResource, ResourceType> chosen = new LinkedHashMap<>();
        for (ResourceType type : registry.types().all()) {
            if (type.storedAsServed()) {
                chosen.put(type.groupResource(), type);
            } else if (type.isCustom()) {
                chosen.putIfAbsent(type.groupResource(), type);
            }
        }
        return chosen.values().stream()
                .map(type -> new ApiResource(
                        type.groupVersion(), type.plural(), type.kind(), type.namespaced(), Set.copyOf(type.verbs())))
                .toList();
    }

    @Override
    public void onChange(Runnable listener) {
        registry.onChange(listener);
    }
}
