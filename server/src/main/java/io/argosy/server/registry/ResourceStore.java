package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.names.Lot;
import io.argosy.api.names.Names;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.ResourceCache;
import io.argosy.server.cache.ResourceVersions;
import io.argosy.server.cache.StoreCache;
import io.argosy.server.cache.Watcher;
import io.argosy.server.convert.Converter;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Admission.Review;
import io.argosy.store.Result;
import io.argosy.store.Store;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The objects of one resource in their storage version: reads from the cache, writes through defaults, admission and validation into
 * the store. The same code for every kind; what is special about one is its {@link Strategy}.
 */
public final class ResourceStore {
    private static final int GENERATED_NAME_TRIES = 8;
    private static final int APPLY_TRIES = 5;

    private final ResourceType type;
    private final String prefix;
    private final Store store;
    private final StoreCache caches;
    private final ResourceCache cache;
    private final Strategy strategy;
    private final Admission admission;
    private final WriteRules rules;
    private final Lot lot;
    private final Ownership ownership;

    /** What a write left in the store; the object's JSON is final, and the revision is 0 for a dry run. */
    @SuppressWarnings("ArrayRecordComponent") // the shared encoding; nobody changes it
    public record Written(byte[] json, long revision, boolean created) {}

    /** How a deletion went: the object as it is or was, and whether it is gone. */
    @SuppressWarnings("ArrayRecordComponent") // the shared encoding; nobody changes it
    public record Deleted(byte[] json, long revision, boolean gone) {}

    ResourceStore(
            ResourceType type,
            ResourceTypes types,
            String prefix,
            Store store,
            StoreCache caches,
            ResourceCache cache,
            Strategy strategy,
            Admission admission,
            Clock clock,
            Lot lot) {
        this.type = type;
        this.prefix = prefix;
        this.store = store;
        this.caches = caches;
        this.cache = cache;
        this.strategy = strategy;
        this.admission = admission;
        this.rules = new WriteRules(type, strategy, clock, lot);
        this.lot = lot;
        this.ownership = new Ownership(type, types, clock);
    }

    public ResourceType type() {
        return type;
    }

    public Strategy strategy() {
        return strategy;
    }

    public ResourceCache cache() {
        return cache;
    }

    public GroupResource resource() {
        return type.groupResource();
    }

    public CachedObject get(String namespace, String name) {
        CachedObject found = find(namespace, name);
        if (found == null) {
            throw ApiException.notFound(resource(), name);
        }
        return found;
    }

    /** The object, or null. */
    public CachedObject find(String namespace, String name) {
        return cache.get(key(namespace, name));
    }

    /** Whether others write to the same store, so that the newest state must be asked for. */
    public boolean shared() {
        return store.shared();
    }

    /** Waits until reads show all that was written anywhere before this call. */
    public void awaitNewest() {
        try {
            caches.awaitNewest();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(Reason.Timeout, "the request was interrupted");
        }
    }

    public ResourceCache.Snapshot snapshot(String namespace) {
        return caches.snapshot(cache, namespace);
    }

    /** One page of an earlier list, read from the store's history. */
    public io.argosy.store.Page history(String namespace, io.argosy.store.ListOptions options) {
        return store.list(namespace.isEmpty() ? prefix : prefix + namespace + "/", options);
    }

    /** With a clock, the watcher holds it while there is something to read. */
    public Watcher watch(long afterRevision, Clock clock) {
        return caches.watch(cache, afterRevision, clock);
    }

    /** The newest revision that reads are complete at. */
    public long revision() {
        return caches.applied();
    }

    /** The newest revision that a list of this resource may have shown; watchers may not yet have been told of its change. */
    public long shown() {
        return Math.max(caches.applied(), cache.newest());
    }

    /** Where the object with that key stands in the store. */
    public String storeKey(String key) {
        return prefix + key;
    }

    public Written create(String namespace, ObjectNode object, WriteOptions options) {
        awaitNewest(); // admission looks at what others may just have made: namespaces, accounts, classes
        Metadata metadata = Metadata.of(object);
        boolean generated = metadata.name().isEmpty()
                && !metadata.node().path("generateName").asText("").isEmpty();
        for (int attempt = 1; ; attempt++) {
            if (generated) {
                metadata.node()
                        .put(
                                "name",
                                generatedName(
                                        namespace,
                                        metadata.node().get("generateName").asText()));
            }
            try {
                return createNamed(namespace, generated ? object.deepCopy() : object, options);
            } catch (ApiException taken) {
                if (!generated || !taken.is(Reason.AlreadyExists) || attempt == GENERATED_NAME_TRIES) {
                    throw taken;
                }
            }
        }
    }

    private String generatedName(String namespace, String base) {
        return Names.generate(base, lot.about("name " + resource() + " " + namespace + "/" + base));
    }

    private Written createNamed(String namespace, ObjectNode object, WriteOptions options) {
        rules.prepareForCreate(namespace, object);
        ownership.created(object, options);
        Review review = review(Operation.CREATE, "", namespace, object, null, null, options);
        Reservation reserved = Reservation.NONE;
        boolean written = false;
        try {
            admission.mutate(review);
            OwnerReferences.onceAgain(object, options.warnings());
            strategy.remark(object, options.warnings());
            rules.complete(object, null, "");
            reserved = strategy.reserve(object, null);
            rules.validate(object, null, "", options.writer().apiVersion());
            strategy.warn(object, null, "", options.warnings());
            admission.validate(review);
            String key = key(namespace, Metadata.of(object).name());
            if (options.dryRun()) {
                if (cache.get(key) != null) {
                    throw ApiException.alreadyExists(
                            resource(), Metadata.of(object).name());
                }
                return new Written(encode(object), 0, true);
            }
            reserved.secure();
            byte[] json = encode(object);
            Result result = put(key, json, Store.ABSENT);
            if (result instanceof Result.Committed committed) {
                written = true;
                return new Written(ResourceVersions.stamp(json, committed.revision()), committed.revision(), true);
            }
            throw ApiException.alreadyExists(resource(), Metadata.of(object).name());
        } finally {
            end(reserved, written);
        }
    }

    /**
     * Changes an object: the change is given the current state and answers the wanted one, as often as it takes until no other writer comes
     * in between. A resourceVersion in the wanted state pins the change to that version.
     */
    public Written update(
            String namespace, String name, String subresource, UnaryOperator<ObjectNode> change, WriteOptions options) {
        awaitNewest(); // what another server wrote counts, also where there is nothing to write
        CachedObject current = get(namespace, name);
        while (true) {
            ObjectNode before = tree(current);
            ObjectNode wanted = change.apply(before.deepCopy());
            rules.checkPreconditions(wanted, before, name);
            Written written = tryUpdate(current, before, wanted, subresource, options);
            if (written != null) {
                return written;
            }
            current = refreshed(current);
        }
    }

    /** One attempt; null if somebody else changed the object first. */
    private Written tryUpdate(
            CachedObject current, ObjectNode before, ObjectNode wanted, String subresource, WriteOptions options) {
        rules.prepareForUpdate(wanted, before, subresource);
        ownership.updated(wanted, before, subresource, options);
        Review review = review(Operation.UPDATE, subresource, current.namespace(), wanted, before, null, options);
        Reservation reserved = Reservation.NONE;
        boolean written = false;
        try {
            admission.mutate(review);
            OwnerReferences.onceAgain(wanted, options.warnings());
            rules.complete(wanted, before, subresource);
            reserved = strategy.reserve(wanted, before);
            rules.countGeneration(wanted, before, subresource);
            rules.validate(wanted, before, subresource, options.writer().apiVersion());
            strategy.warn(wanted, before, subresource, options.warnings());
            admission.validate(review);
            if (rules.isFinished(wanted)) {
                Deleted deleted = remove(current, before, wanted, options.dryRun());
                return deleted == null ? null : new Written(deleted.json(), deleted.revision(), false);
            }
            Ownership.keepTimes(wanted, before);
            byte[] json = encode(wanted);
            if (sameAsStored(wanted, before) && isCurrent(current)) {
                return new Written(current.json(), current.revision(), false);
            }
            if (options.dryRun()) {
                return new Written(ResourceVersions.stamp(json, current.revision()), current.revision(), false);
            }
            if (reserved.secure()) {
                json = encode(wanted);
            }
            if (put(current.key(), json, current.revision()) instanceof Result.Committed committed) {
                written = true;
                return new Written(ResourceVersions.stamp(json, committed.revision()), committed.revision(), false);
            }
            return null;
        } finally {
            end(reserved, written);
        }
    }

    private static void end(Reservation reserved, boolean written) {
        if (written) {
            reserved.commit();
        } else {
            reserved.cancel();
        }
    }

    /**
     * Merges what an applier wants into the object, or makes one of it if there is none.
     *
     * @param config in the version that the options' writer names
     * @param beforeCreation throws if the applier may not make one
     */
    public Written apply(
            String namespace,
            String name,
            String subresource,
            ObjectNode config,
            WriteOptions options,
            Runnable beforeCreation) {
        awaitNewest();
        for (int attempt = 1; ; attempt++) {
            boolean absent = find(namespace, name) == null;
            if (absent && subresource.isEmpty()) {
                rules.checkUnidentified(config, name);
                beforeCreation.run();
            }
            try {
                return absent && subresource.isEmpty()
                        ? create(namespace, ownership.applied(null, config.deepCopy(), "", options), options)
                        : update(
                                namespace,
                                name,
                                subresource,
                                before -> ownership.applied(before, config, subresource, options),
                                options);
            } catch (ApiException overtaken) {
                boolean appeared = absent && overtaken.is(Reason.AlreadyExists);
                boolean vanished = !absent && overtaken.is(Reason.NotFound) && subresource.isEmpty();
                if (!(appeared || vanished) || attempt == APPLY_TRIES) {
                    throw overtaken;
                }
                awaitWriteOf(key(namespace, name), 0);
            }
        }
    }

    public Deleted delete(String namespace, String name, DeleteOptions delete, WriteOptions options) {
        return delete(namespace, name, delete, options, admission);
    }

    /** The same, for a deletion that was admitted in another form, as an eviction is. */
    public Deleted deleteAdmitted(String namespace, String name, DeleteOptions delete, WriteOptions options) {
        return delete(namespace, name, delete, options, new Admission() {});
    }

    private Deleted delete(String namespace, String name, DeleteOptions delete, WriteOptions options, Admission asked) {
        awaitNewest();
        CachedObject current = get(namespace, name);
        while (true) {
            ObjectNode before = tree(current);
            rules.checkPreconditions(delete, before, name);
            Review review = review(Operation.DELETE, "", namespace, null, before, delete, options);
            asked.mutate(review);
            asked.validate(review);
            ObjectNode wanted = before.deepCopy();
            DeletionRules.Step step = DeletionRules.next(wanted, delete, strategy, rules);
            if (step == DeletionRules.Step.NOTHING) {
                return new Deleted(current.json(), current.revision(), false);
            }
            if (step == DeletionRules.Step.REMOVE) {
                Deleted deleted = remove(current, before, wanted, options.dryRun());
                if (deleted != null) {
                    return deleted;
                }
            } else {
                byte[] json = encode(wanted);
                if (options.dryRun()) {
                    return new Deleted(ResourceVersions.stamp(json, current.revision()), current.revision(), false);
                }
                if (put(current.key(), json, current.revision()) instanceof Result.Committed committed) {
                    return new Deleted(ResourceVersions.stamp(json, committed.revision()), committed.revision(), false);
                }
            }
            current = refreshed(current);
        }
    }

    /** Where the store outlives this process, what has an end is given it with the write: somebody must see to it if we are gone. */
    private Result put(String key, byte[] json, long expected) {
        return strategy.life() != null && store.shared()
                ? store.putFor(strategy.life(), prefix + key, json, expected)
                : store.put(prefix + key, json, expected);
    }

    /** Takes the object out of the store; null if somebody else changed it first. */
    private Deleted remove(CachedObject current, ObjectNode before, ObjectNode last, boolean dryRun) {
        if (dryRun) {
            return new Deleted(ResourceVersions.stamp(encode(last), current.revision()), current.revision(), true);
        }
        if (store.delete(prefix + current.key(), current.revision()) instanceof Result.Committed committed) {
            strategy.released(before);
            return new Deleted(ResourceVersions.stamp(encode(last), committed.revision()), committed.revision(), true);
        }
        return null;
    }

    /** Removes an object whose time is over, unless it has changed meanwhile; nobody is asked. */
    CompletableFuture<Result> expire(CachedObject object) {
        return store.deleteAsync(prefix + object.key(), object.revision());
    }

    /** Somebody else wrote first: waits until the cache shows it. */
    private CachedObject refreshed(CachedObject stale) {
        awaitWriteOf(stale.key(), stale.revision() + 1);
        return get(stale.namespace(), stale.name());
    }

    /** Waits until the cache shows what the store has; the revision is that of its deletion at the earliest, if it has nothing. */
    private void awaitWriteOf(String key, long deletion) {
        try {
            var entry = store.get(prefix + key);
            caches.await(entry.isPresent() ? entry.get().modRevision() : deletion);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(Reason.Timeout, "the request was interrupted");
        }
    }

    private Review review(
            Operation operation,
            String subresource,
            String namespace,
            ObjectNode object,
            ObjectNode before,
            DeleteOptions delete,
            WriteOptions options) {
        return new Review(
                operation,
                type,
                subresource,
                type.groupVersionKind(),
                namespace,
                Metadata.of(object == null ? before : object).name(),
                object,
                before,
                delete,
                options,
                strategy::applyDefaults,
                new Admission.Passage());
    }

    private byte[] encode(ObjectNode object) {
        Metadata.of(object).node().remove("resourceVersion");
        return ApiObject.of(Metadata.ordered(object, type.groupVersion().toString(), type.kind()))
                .json();
    }

    /** False for an object that is still stored in a version of old; then to write it is a change, though it says nothing new. */
    private boolean isCurrent(CachedObject object) {
        if (object.isOlder()) {
            return false;
        }
        return !type.isCustom()
                || !type.custom().isConvertedByOthers()
                || Json.decodeObject(object.json())
                        .path("apiVersion")
                        .asText()
                        .equals(type.groupVersion().toString());
    }

    /** True if the write would change nothing, whatever the order of its fields; the wanted state has no resourceVersion any more. */
    private static boolean sameAsStored(ObjectNode wanted, ObjectNode before) {
        wanted.put("kind", before.path("kind").asText())
                .put("apiVersion", before.path("apiVersion").asText());
        return Likeness.but(Set.of("metadata"), wanted, before)
                && Likeness.but(
                        Set.of("resourceVersion"),
                        Metadata.of(wanted).node(),
                        Metadata.of(before).node());
    }

    /** The object in the version of this store; who converts custom resources may have left it in an older one. */
    private ObjectNode tree(CachedObject object) {
        ObjectNode tree = ApiObject.ofJson(object.json()).tree();
        return type.isCustom() ? Converter.fromStorage(tree, type) : tree;
    }

    public String key(String namespace, String name) {
        return type.namespaced() ? namespace + "/" + name : name;
    }
}
