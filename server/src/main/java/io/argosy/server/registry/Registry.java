package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.kinds.VersionOrder;
import io.argosy.api.names.Lot;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.ResourceCache;
import io.argosy.server.cache.StoreCache;
import io.argosy.store.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** All resources of the server and, for each that keeps objects, its store; versions and groups of the same objects share one. */
public final class Registry implements AutoCloseable {
    private final Store store;
    private final StoreCache caches;
    private final Admission admission;
    private final Clock clock;
    private final Lot lot;
    private final Image builtIn;

    /** Built-in and custom resources; replaced as a whole when a definition changes. */
    private volatile Image image;

    /** What is defined in the store and not looked at yet; null once it is served. */
    private volatile Supplier<List<CustomResource>> defined;

    private final ReentrantLock lookingUp = new ReentrantLock();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** What is served at one moment; immutable. */
    private record Image(
            ResourceTypes types, Map<GroupResource, ResourceStore> stores, Map<GroupResource, CustomResource> custom) {}

    /**
     * A resource that somebody defined.
     *
     * @param stored the version its objects are stored in
     * @param served the versions clients may use
     * @param form brings a stored object into the form in which it is read
     */
    public record CustomResource(
            ResourceType stored, List<ResourceType> served, Strategy strategy, UnaryOperator<byte[]> form) {}

    public Registry(
            ResourceTypes types,
            Store store,
            Function<GroupResource, Strategy> strategies,
            Admission admission,
            Clock clock,
            Lot lot) {
        this.store = store;
        this.caches = new StoreCache(store, clock);
        this.admission = admission;
        this.clock = clock;
        this.lot = lot;
        Map<GroupResource, ResourceStore> stores = new HashMap<>();
        for (ResourceType type : types.all()) {
            if (type.storedAsServed() && type.can("list") && type.can("create")) {
                GroupResource resource = type.groupResource();
                String prefix = StorageLayout.prefix(resource);
                ResourceCache cache = caches.declare(
                        prefix, type.namespaced(), SelectableFields.paths(resource), UnaryOperator.identity());
                stores.put(resource, store(type, types, prefix, cache, strategies.apply(resource)));
            }
        }
        this.builtIn = new Image(types, stores, Map.of());
        this.image = builtIn;
    }

    private ResourceStore store(
            ResourceType type, ResourceTypes types, String prefix, ResourceCache cache, Strategy strategy) {
        return new ResourceStore(type, types, prefix, store, caches, cache, strategy, admission, clock, lot);
    }

    /** Tells where custom resources are found out when first somebody asks for what is not built in: a start goes without them until then. */
    public void expect(Supplier<List<CustomResource>> resources) {
        defined = resources;
    }

    /** Built-in and custom resources, whoever waited for the latter. */
    private Image image() {
        if (defined != null) {
            lookUp();
        }
        return image;
    }

    private void lookUp() {
        lookingUp.lock();
        try {
            if (defined == null) {
                return;
            }
            replace(defined.get());
            defined = null;
        } finally {
            lookingUp.unlock();
        }
        listeners.forEach(Runnable::run);
    }

    /**
     * Serves these custom resources, and no others, beside the built-in ones, whose names they do not have. A resource that is the same object as before keeps what it
     * has; one that is gone ends its watches.
     */
    public void serve(List<CustomResource> resources) {
        replace(resources);
        listeners.forEach(Runnable::run);
    }

    private synchronized void replace(List<CustomResource> resources) {
        Image before = image;
        Map<GroupResource, ResourceStore> stores = new HashMap<>(builtIn.stores());
        Map<GroupResource, CustomResource> custom = new HashMap<>();
        for (CustomResource resource : resources) {
            GroupResource name = resource.stored().groupResource();
            custom.put(name, resource);
            ResourceStore known = before.stores().get(name);
            stores.put(name, before.custom().get(name) == resource ? known : custom(resource, known));
        }
        List<ResourceType> types = new ArrayList<>();
        for (CustomResource resource : resources) {
            for (ResourceType type : resource.served()) {
                if (builtIn.types().in(type.groupVersion()).isEmpty()) {
                    types.add(type);
                }
            }
        }
        types.sort(Comparator.comparing(ResourceType::group)
                .thenComparing(ResourceType::version, VersionOrder::compare)
                .thenComparing(ResourceType::plural));
        image = new Image(builtIn.types().with(types), stores, custom);
        before.custom().keySet().forEach(name -> {
            if (!custom.containsKey(name)) {
                caches.forget(before.stores().get(name).cache());
            }
        });
    }

    /** A definition does not take the place of what is built in. */
    public boolean isBuiltIn(GroupResource resource) {
        return builtIn.stores().containsKey(resource);
    }

    /** Calls the listener, which must be quick, whenever resources have come or gone or changed. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    private ResourceStore custom(CustomResource resource, ResourceStore known) {
        ResourceType stored = resource.stored();
        String prefix = StorageLayout.customPrefix(stored.groupResource());
        Set<String> fields = stored.custom().selectableFields();
        ResourceCache cache;
        if (known != null && known.type().namespaced() == stored.namespaced()) {
            cache = known.cache();
            cache.reform(fields, resource.form());
        } else {
            cache = caches.declare(prefix, stored.namespaced(), fields, resource.form());
        }
        List<ResourceType> versions = new ArrayList<>(resource.served());
        versions.remove(stored);
        versions.add(stored);
        return store(stored, new ResourceTypes(versions), prefix, cache, resource.strategy());
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
        return image().types();
    }

    public Optional<ResourceType> find(GroupVersion version, String plural) {
        return builtIn.types().find(version, plural).or(() -> types().find(version, plural));
    }

    /** The same without waiting: empty too for what is defined and has not been looked at since the start. */
    public Optional<ResourceType> findAtOnce(GroupVersion version, String plural) {
        return image.types().find(version, plural);
    }

    /** The store behind a resource; empty for those that keep nothing, such as reviews. */
    public Optional<ResourceStore> store(ResourceType type) {
        return Optional.ofNullable(stored(type.storageResource()));
    }

    public ResourceStore store(String group, String resource) {
        ResourceStore found = stored(new GroupResource(group, resource));
        if (found == null) {
            throw new IllegalArgumentException("no resource " + new GroupResource(group, resource));
        }
        return found;
    }

    private ResourceStore stored(GroupResource resource) {
        ResourceStore found = builtIn.stores().get(resource);
        return found == null ? image().stores().get(resource) : found;
    }

    /** The path of the stored field that clients of that version select by under that name; empty where there is none. */
    public static Optional<String> selectedField(ResourceType type, String label) {
        return SelectableFields.path(type, label);
    }

    /** Why clients cannot select by that field; they add of what and where by themselves. */
    public static String unknownField(ResourceType type, String label) {
        return SelectableFields.unknown(type, label);
    }

    public long revision() {
        return caches.applied();
    }

    @Override
    public void close() {
        caches.close();
    }
}
