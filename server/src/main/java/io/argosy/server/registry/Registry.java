package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.ResourceCache;
import io.argosy.server.cache.StoreCache;
import io.argosy.store.Store;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** All resources of the server and, for each that keeps objects, its store; versions and groups of the same objects share one. */
public final class Registry implements AutoCloseable {
    private final ResourceTypes types;
    private final StoreCache caches;
    private final Map<GroupResource, ResourceStore> stores = new HashMap<>();

    public Registry(
            ResourceTypes types,
            Store store,
            Function<GroupResource, Strategy> strategies,
            Admission admission,
            Clock clock,
            Lot lot) {
        this.types = types;
        this.caches = new StoreCache(store);
        for (ResourceType type : types.all()) {
            if (type.storedAsServed() && type.can("list") && type.can("create")) {
                GroupResource resource = type.groupResource();
                String prefix = StorageLayout.prefix(resource);
                ResourceCache cache = caches.declare(prefix, type.namespaced(), SelectableFields.paths(resource));
                stores.put(
                        resource,
                        new ResourceStore(
                                type,
                                types,
                                prefix,
                                store,
                                caches,
                                cache,
                                strategies.apply(resource),
                                admission,
                                clock,
                                lot));
            }
        }
    }

    /** Loads what is stored; requests can be answered from then on. */
    public void open() {
        caches.open();
    }

    /** Ends all watches, as a server may at any time. */
    public void endWatches() {
        caches.endWatches();
    }

    public ResourceTypes types() {
        return types;
    }

    public Optional<ResourceType> find(GroupVersion version, String plural) {
        return types.find(version, plural);
    }

    /** The store behind a resource; empty for those that keep nothing, such as reviews. */
    public Optional<ResourceStore> store(ResourceType type) {
        return Optional.ofNullable(stores.get(type.storageResource()));
    }

    public ResourceStore store(String group, String resource) {
        ResourceStore found = stores.get(new GroupResource(group, resource));
        if (found == null) {
            throw new IllegalArgumentException("no resource " + new GroupResource(group, resource));
        }
        return found;
    }

    /** The fields clients may select objects of the resource by, beside name and namespace. */
    public static Set<String> selectableFields(ResourceType type) {
        return SelectableFields.of(type.storageResource());
    }

    /** The path of the field that clients select by under that name. */
    public static String fieldPath(String label) {
        return SelectableFields.path(label);
    }

    public long revision() {
        return caches.applied();
    }

    @Override
    public void close() {
        caches.close();
    }
}
