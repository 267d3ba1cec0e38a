package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.ManagedFields.Owned;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a write does to the ownership of fields: an updater takes what it changes from whoever had it; an applier owns what it names, may not
 * change what others own unless it forces, and gives up (and with that removes, if nobody else wants it) what it no longer names.
 */
public final class FieldOwnership {
    /** What all annotations of an object may take together. */
    private static final int MOST_ANNOTATIONS = 256 * 1024;

    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final String KUBECTL = "kubectl";
    private static final String BEFORE_FIRST_APPLY = "before-first-apply";

    /** What nobody owns, because the server sets it or because it says which object this is. */
    private static final FieldSet NOT_OWNED = FieldSet.ofFields(
            "apiVersion",
            "kind",
            "metadata",
            "metadata.name",
            "metadata.namespace",
            "metadata.creationTimestamp",
            "metadata.selfLink",
            "metadata.uid",
            "metadata.clusterName",
            "metadata.generation",
            "metadata.managedFields",
            "metadata.resourceVersion");

    private final Versions versions;
    private final String version;
    private final String subresource;
    private final UnaryOperator<FieldSet> scope;
    private final String time;

    /** The versions of one kind. */
    public interface Versions {
        /** The object in another version, not necessarily a copy; empty where that version is not served any more. */
        Optional<ObjectNode> convert(ObjectNode object, String from, String to);

        Shape shape(String apiVersion);
    }

    /**
     * One write.
     *
     * @param version the version the write is made in; all objects given are in it
     * @param subresource empty for the object itself
     * @param scope leaves of a set of fields those that the write can change at all
     */
    public FieldOwnership(
            Versions versions, String version, String subresource, UnaryOperator<FieldSet> scope, String time) {
        this.versions = versions;
        this.version = version;
        this.subresource = subresource;
        this.scope = scope;
        this.time = time;
    }

    /** A write other than apply has made one object of another; neither has its managedFields any more. */
    public ManagedFields update(ObjectNode live, ObjectNode wanted, ManagedFields managed, String name) {
        ManagedFields changed = managed.copy();
        Comparison comparison = compare(live, wanted, version);
        takeFromOthers(live, wanted, comparison, changed, null);
        FieldSet taken = comparison.modified().union(comparison.added()).difference(NOT_OWNED);
        if (!taken.isEmpty()) {
            Manager manager = Manager.updater(name, version, subresource);
            Owned before = changed.owned(manager);
            changed.put(manager, new Owned(version, before == null ? taken : taken.union(before.fields()), time));
        }
        changed.cap();
        return changed;
    }

    /** What an apply makes of an object, and who owns its fields then. */
    public record Applied(ObjectNode object, ManagedFields managed) {}

    /** Applies a configuration to an object, which has no managedFields any more; throws a refusal if others own what it changes. */
    public Applied apply(ObjectNode live, ObjectNode config, ManagedFields managed, String name, boolean force) {
        ManagedFields owners = managed;
        if (managed.isEmpty() && live.path("metadata").has("uid")) {
            owners = update(Json.object(), live, managed, BEFORE_FIRST_APPLY);
        }
        try {
            return withLastApplied(tryApply(live, config, owners.copy(), name, force), config, name);
        } catch (FieldConflict conflict) {
            FieldConflict rest = name.equals(KUBECTL) ? conflict.without(lastApplied(live)) : conflict;
            if (!rest.isEmpty()) {
                throw rest.refusal();
            }
        }
        try {
            return withLastApplied(tryApply(live, config, owners.copy(), name, true), config, name);
        } catch (FieldConflict impossible) {
            throw impossible.refusal();
        }
    }

    private Applied tryApply(ObjectNode live, ObjectNode config, ManagedFields managed, String name, boolean force)
            throws FieldConflict {
        Shape shape = versions.shape(version);
        Manager manager = Manager.applier(name, subresource);
        Owned last = managed.owned(manager);
        ObjectNode merged = (ObjectNode) TypedMerge.merge(live, config, shape);
        FieldSet fields = scope.apply(ObjectFields.of(config, shape));
        managed.put(manager, new Owned(version, fields, last == null ? null : last.time()));
        merged = last == null ? merged : prune(merged, managed, last);
        merged = (ObjectNode) FieldRemoval.withoutNulls(merged);
        Comparison comparison = compare(live, merged, version);
        Map<Manager, FieldSet> conflicts = takeFromOthers(live, merged, comparison, managed, manager);
        if (!force && !conflicts.isEmpty()) {
            throw new FieldConflict(conflicts);
        }
        Owned owned = new Owned(
                version,
                fields.difference(NOT_OWNED),
                Values.equal(live, merged) ? last == null ? null : last.time() : time);
        managed.put(manager, owned);
        return new Applied(merged, managed);
    }

    private Comparison compare(ObjectNode before, ObjectNode after, String apiVersion) {
        Comparison all = Comparison.of(before, after, versions.shape(apiVersion));
        return new Comparison(scope.apply(all.added()), scope.apply(all.modified()), scope.apply(all.removed()));
    }

    /** Everybody but the writer loses what was changed or removed; the answer is what was changed, by owner. */
    private Map<Manager, FieldSet> takeFromOthers(
            ObjectNode before, ObjectNode after, Comparison comparison, ManagedFields managed, Manager writer) {
        Map<String, Comparison> comparisons = new HashMap<>();
        comparisons.put(version, comparison);
        Map<Manager, FieldSet> conflicts = new LinkedHashMap<>();
        for (Manager manager : managed.managers()) {
            Owned owned = managed.owned(manager);
            if (manager.equals(writer)) {
                continue;
            }
            Comparison inVersion = comparisons.get(owned.apiVersion());
            if (inVersion == null) {
                Optional<ObjectNode> old = versions.convert(before, version, owned.apiVersion());
                Optional<ObjectNode> now = versions.convert(after, version, owned.apiVersion());
                if (old.isEmpty() || now.isEmpty()) {
                    managed.remove(manager);
                    continue;
                }
                inVersion = compare(old.get(), now.get(), owned.apiVersion());
                comparisons.put(owned.apiVersion(), inVersion);
            }
            if (inVersion.isSame()) {
                continue;
            }
            FieldSet changed = inVersion.modified().union(inVersion.added());
            if (!owned.hasAny(changed) && !owned.hasAny(inVersion.removed())) {
                continue;
            }
            FieldSet conflict = owned.fields().intersection(changed);
            if (!conflict.isEmpty()) {
                conflicts.put(manager, conflict);
            }
            managed.put(manager, owned.with(owned.fields().difference(conflict).difference(inVersion.removed())));
        }
        return conflicts;
    }

    /** Takes out what the applier applied last time and not now, unless somebody owns it. */
    private ObjectNode prune(ObjectNode merged, ManagedFields managed, Owned last) {
        Optional<ObjectNode> converted = versions.convert(merged, version, last.apiVersion());
        if (converted.isEmpty()) {
            return merged;
        }
        ObjectNode whole = converted.get();
        Shape shape = versions.shape(last.apiVersion());
        FieldSet lastFields = last.fields().withStructFields(shape);
        JsonNode pruned = FieldRemoval.remove(whole, lastFields, shape);
        pruned = addBackOwned(whole, pruned, last.apiVersion(), managed);
        FieldSet gone =
                fieldsOf(whole, shape).difference(fieldsOf(pruned, shape)).intersection(lastFields);
        ObjectNode left = orEmpty(FieldRemoval.remove(whole, gone, shape));
        return versions.convert(left, last.apiVersion(), version).orElse(merged);
    }

    private static FieldSet fieldsOf(JsonNode object, Shape shape) {
        return ObjectFields.of(object, shape).withStructFields(shape);
    }

    private static ObjectNode orEmpty(JsonNode object) {
        return object instanceof ObjectNode some ? some : Json.object();
    }

    private JsonNode addBackOwned(ObjectNode whole, JsonNode pruned, String startVersion, ManagedFields managed) {
        Map<String, FieldSet> byVersion = new LinkedHashMap<>();
        byVersion.put(startVersion, FieldSet.EMPTY);
        for (Manager manager : managed.managers()) {
            Owned owned = managed.owned(manager);
            byVersion.merge(owned.apiVersion(), owned.fields(), FieldSet::union);
        }
        ObjectNode left = orEmpty(pruned);
        for (Map.Entry<String, FieldSet> owned : byVersion.entrySet()) {
            String at = owned.getKey();
            Optional<ObjectNode> wholeThere = versions.convert(whole, startVersion, at);
            Optional<ObjectNode> leftThere = versions.convert(left, startVersion, at);
            if (wholeThere.isEmpty() || leftThere.isEmpty()) {
                continue;
            }
            Shape shape = versions.shape(at);
            FieldSet kept =
                    fieldsOf(leftThere.get(), shape).union(owned.getValue().withStructFields(shape));
            FieldSet gone = fieldsOf(wholeThere.get(), shape).difference(kept);
            JsonNode added = FieldRemoval.remove(wholeThere.get(), gone, shape);
            left = versions.convert(orEmpty(added), at, startVersion).orElse(left);
        }
        return left;
    }

    /** The fields that client-side apply set and nobody changed since: kubectl may take these over. */
    private FieldSet lastApplied(ObjectNode live) {
        String text =
                live.path("metadata").path("annotations").path(LAST_APPLIED).asText("");
        try {
            if (text.isEmpty()
                    || !(Json.decode(text.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode last)
                    || !last.path("apiVersion").asText().equals(version)) {
                return FieldSet.EMPTY;
            }
            Shape shape = versions.shape(version);
            Comparison since = Comparison.of(last, live, shape);
            return ObjectFields.of(last, shape)
                    .difference(since.modified())
                    .difference(since.added())
                    .difference(since.removed());
        } catch (IOException malformed) {
            return FieldSet.EMPTY; // an annotation is the clients' to write; one that is no object allows nothing
        }
    }

    /** Keeps the annotation of client-side apply in step, so that people can go back to it. */
    private static Applied withLastApplied(Applied applied, ObjectNode config, String name) {
        boolean kept = !applied.object()
                .path("metadata")
                .path("annotations")
                .path(LAST_APPLIED)
                .asText("")
                .isEmpty();
        if (!name.equals(KUBECTL) || !kept) {
            return applied;
        }
        ObjectNode plain = config.deepCopy();
        if (plain.path("metadata").get("annotations") instanceof ObjectNode annotations) {
            annotations.remove(LAST_APPLIED);
        }
        ObjectNode object = applied.object().deepCopy();
        ObjectNode annotations = (ObjectNode) object.path("metadata").path("annotations");
        annotations.put(LAST_APPLIED, plain + "\n");
        if (sizeOf(annotations) > MOST_ANNOTATIONS) {
            annotations.remove(LAST_APPLIED);
        }
        return new Applied(object, applied.managed());
    }

    private static long sizeOf(ObjectNode annotations) {
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : annotations.properties()) {
            size += annotation.getKey().length()
                    + annotation.getValue().asText().length();
        }
        return size;
    }

    /** The entries an updater's object or the stored one carries; a client may edit them, but not lose them by not knowing them. */
    public static ManagedFields choose(JsonNode stored, JsonNode sent, boolean whole) {
        if (whole && sent != null && !sent.equals(stored)) {
            if (ManagedFields.isReset(sent)) {
                return ManagedFields.decode(null);
            }
            try {
                ManagedFields edited = ManagedFields.decode(sent);
                if (!edited.isEmpty()) {
                    return edited;
                }
            } catch (IllegalArgumentException unreadable) {
                return ManagedFields.decodeOwn(stored); // as if the client had not sent any
            }
        }
        return ManagedFields.decodeOwn(stored);
    }

    /** A configuration may not bring entries of its own. */
    public static void checkConfig(ObjectNode config) {
        if (config.path("metadata").hasNonNull("managedFields")) {
            throw ApiException.badRequest("metadata.managedFields must be nil");
        }
    }
}
