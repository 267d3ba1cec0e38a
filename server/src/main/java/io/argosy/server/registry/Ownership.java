package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.FieldOwnership;
import io.argosy.api.apply.FieldSet;
import io.argosy.api.apply.ManagedFields;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.time.Clock;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Keeps {@code metadata.managedFields} of one resource in step with every write. Objects are in their storage version. */
final class Ownership {
    private static final String FIELD = "managedFields";
    private static final FieldSet STATUS = FieldSet.ofFields("status");
    private static final FieldSet REPLICAS = FieldSet.ofFields("spec.replicas");
    private static final FieldSet DEBUGGING = FieldSet.ofFields("spec.ephemeralContainers");
    private static final FieldSet CONTAINERS = FieldSet.ofFields("spec.containers", "spec.initContainers");

    private final ResourceType type;
    private final FieldVersions versions;
    private final Clock clock;
    private final UnaryOperator<FieldSet> withStatus;
    private final UnaryOperator<FieldSet> withVerdict;

    Ownership(ResourceType type, ResourceTypes types, Clock clock) {
        this.type = type;
        this.versions = new FieldVersions(type, types);
        this.clock = clock;
        this.withStatus = StatusMetadata.owned(type, "status");
        this.withVerdict = StatusMetadata.owned(type, "approval");
    }

    /** A new object: all that its writer said is the writer's. */
    void created(ObjectNode object, WriteOptions options) {
        WriteOptions.Writer writer = options.writer();
        if (writer.applies()) {
            return;
        }
        Metadata.of(object).node().remove(FIELD);
        ManagedFields managed = write(writer, "")
                .update(
                        Json.object(),
                        versions.fromStorage(object, writer.apiVersion()),
                        ManagedFields.decode(null),
                        writer.manager());
        set(object, managed);
    }

    /** A changed object: what changed is the writer's, and nobody else's any more. */
    void updated(ObjectNode object, ObjectNode before, String subresource, WriteOptions options) {
        WriteOptions.Writer writer = options.writer();
        if (writer.applies()) {
            return;
        }
        ObjectNode metadata = Metadata.of(object).node();
        ObjectNode metadataBefore = Metadata.of(before).node();
        JsonNode sent = metadata.remove(FIELD);
        JsonNode stored = metadataBefore.remove(FIELD);
        if (subresource.equals("binding")) {
            restore(metadata, stored);
        } else {
            ManagedFields managed = FieldOwnership.choose(stored, sent, subresource.isEmpty());
            if (!managed.isEmpty()) {
                ObjectNode old = versions.fromStorage(before, writer.apiVersion());
                ObjectNode now = versions.fromStorage(object, writer.apiVersion());
                set(object, write(writer, subresource).update(old, now, managed, writer.manager()));
            }
        }
        restore(metadataBefore, stored);
    }

    /**
     * What a server-side apply makes of an object.
     *
     * @param before the object as it is, which may be changed here; null if there is none
     * @param config what the applier wants, in the version of the request
     */
    ObjectNode applied(ObjectNode before, ObjectNode config, String subresource, WriteOptions options) {
        WriteOptions.Writer writer = options.writer();
        ObjectNode live = before == null ? Json.object() : before;
        JsonNode stored = before == null ? null : Metadata.of(live).node().remove(FIELD);
        FieldOwnership.Applied applied = write(writer, subresource)
                .apply(
                        before == null ? live : versions.fromStorage(live, writer.apiVersion()),
                        config,
                        FieldOwnership.choose(stored, null, true),
                        writer.manager(),
                        writer.force());
        ObjectNode object = versions.toStorage(applied.object(), writer.apiVersion());
        set(object, applied.managed());
        if (!config.path("metadata").hasNonNull("resourceVersion")) {
            Metadata.of(object).node().remove("resourceVersion");
        }
        return object;
    }

    /** Times alone are no change: a write that leaves all else as it was leaves them, too. */
    static void keepTimes(ObjectNode object, ObjectNode before) {
        ObjectNode metadata = Metadata.of(object).node();
        JsonNode stored = Metadata.of(before).node().get(FIELD);
        JsonNode now = metadata.get(FIELD);
        if (stored != null
                && Objects.equals(object.get("status"), before.get("status"))
                && !stored.equals(now)
                && Likeness.but(Set.of("metadata"), object, before)
                && Likeness.but(
                        Set.of(FIELD, "resourceVersion"),
                        metadata,
                        Metadata.of(before).node())
                && ManagedFields.sameButForTimes(now, stored)) {
            metadata.set(FIELD, stored);
        }
    }

    private FieldOwnership write(WriteOptions.Writer writer, String subresource) {
        return new FieldOwnership(
                versions, writer.apiVersion(), subresource, scope(subresource), Metadata.time(clock.now()));
    }

    /** Leaves of the fields of a write those that it can change at all. */
    private UnaryOperator<FieldSet> scope(String subresource) {
        return switch (subresource) {
            case "status" -> withStatus;
            case "approval" -> withVerdict;
            case "scale" -> fields -> fields.under(replicas());
            case "ephemeralcontainers" -> fields -> fields.under(DEBUGGING);
            case "resize" -> fields -> fields.under(CONTAINERS);
            default -> type.subresource("status") == null ? fields -> fields : fields -> fields.without(STATUS);
        };
    }

    private FieldSet replicas() {
        return type.isCustom() ? FieldSet.ofFields(type.custom().replicasPath()) : REPLICAS;
    }

    private static void set(ObjectNode object, ManagedFields managed) {
        ArrayNode entries = managed.encode();
        if (entries.isEmpty()) {
            Metadata.of(object).node().remove(FIELD);
        } else {
            Metadata.of(object).node().set(FIELD, entries);
        }
    }

    private static void restore(ObjectNode metadata, JsonNode entries) {
        if (entries != null) {
            metadata.set(FIELD, entries);
        }
    }
}
