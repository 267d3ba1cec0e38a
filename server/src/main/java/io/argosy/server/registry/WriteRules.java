package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** The rules that hold for the metadata, status and generation of every kind on every write. */
final class WriteRules {
    /** 292 years, the longest time that clients count with. */
    private static final long LONGEST_GRACE = Duration.ofNanos(Long.MAX_VALUE).toSeconds();

    private static final List<String> SET_BY_SERVER = List.of(
            "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink");

    /** The parts through which a status changes. */
    private static final Set<String> OF_STATUS = Set.of("status", "approval", "binding");

    private final ResourceType type;
    private final Strategy strategy;
    private final Clock clock;
    private final Lot lot;

    WriteRules(ResourceType type, Strategy strategy, Clock clock, Lot lot) {
        this.type = type;
        this.strategy = strategy;
        this.clock = clock;
        this.lot = lot;
    }

    void prepareForCreate(String namespace, ObjectNode object) {
        Metadata metadata = Metadata.of(object);
        if (!metadata.resourceVersion().isEmpty()) {
            throw ApiException.badRequest("resourceVersion should not be set on objects to be created");
        }
        metadata.node().remove(SET_BY_SERVER);
        if (type.namespaced()) {
            metadata.node().put("namespace", namespace);
        } else {
            metadata.node().remove("namespace");
        }
        metadata.node().put("uid", uid(namespace, metadata.name()));
        metadata.node().put("creationTimestamp", Metadata.time(clock.now()));
        if (strategy.hasGeneration()) {
            metadata.node().put("generation", 1);
        }
        if (hasStatusSubresource() && !strategy.keepsStatusOnCreate()) {
            object.remove("status");
        }
        if (hasStatusSubresource() && !type.isCustom() && !object.has("status")) {
            object.set(
                    "status", EmptyStatus.of(type.storageResource())); // there always is one, and patches count on it
        }
        strategy.applyDefaults(object);
    }

    private String uid(String namespace, String name) {
        RandomGenerator chance = lot.about("uid " + type.groupResource() + " " + namespace + "/" + name);
        long high = chance.nextLong() & ~0xf000L | 0x4000L;
        long low = chance.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    void prepareForUpdate(ObjectNode object, ObjectNode before, String subresource) {
        Metadata metadata = Metadata.of(object);
        for (String field : List.of("name", "namespace", "generateName")) {
            metadata.keep(field, before);
        }
        SET_BY_SERVER.forEach(field -> metadata.keep(field, before));
        confine(object, before, subresource);
        strategy.applyDefaults(object);
    }

    /** Takes back what does not change through that part: what the client sent, and then what admission made of it. */
    private void confine(ObjectNode object, ObjectNode before, String subresource) {
        if (subresource.equals("status") || subresource.equals("approval")) {
            keepAllButStatus(object, before);
        } else if (hasStatusSubresource() && !OF_STATUS.contains(subresource)) {
            keepField(object, before, "status");
        }
        strategy.confine(object, before, subresource);
    }

    /** Completes an object that admission may have changed. */
    void complete(ObjectNode object, ObjectNode before, String subresource) {
        strategy.applyDefaults(object);
        if (before == null) {
            strategy.prepareForCreate(object);
        } else {
            confine(object, before, subresource);
            strategy.prepareForUpdate(object, before, subresource);
        }
    }

    private void keepAllButStatus(ObjectNode object, ObjectNode before) {
        Map<String, JsonNode> sent = new HashMap<>();
        object.properties().forEach(field -> sent.put(field.getKey(), field.getValue()));
        object.removeAll();
        for (Map.Entry<String, JsonNode> field : before.properties()) {
            JsonNode same = sent.get(field.getKey());
            object.set(
                    field.getKey(),
                    field.getValue().equals(same) ? same : field.getValue().deepCopy());
        }
        JsonNode status = sent.get("status");
        if (status == null && type.isCustom()) {
            object.remove("status");
        } else if (status == null) {
            object.set("status", EmptyStatus.of(type.storageResource()));
        } else {
            object.set("status", status);
        }
        if (sent.get("metadata") instanceof ObjectNode metadata) {
            ObjectNode kept = Metadata.of(object).node();
            keepField(kept, metadata, "managedFields");
            StatusMetadata.changing(type).forEach(field -> keepField(kept, metadata, field));
        }
    }

    /** A new generation begins when anything but metadata and status changes; where a pod runs is no wish of anybody's. */
    void countGeneration(ObjectNode object, ObjectNode before, String subresource) {
        if (!strategy.hasGeneration() || OF_STATUS.contains(subresource)) {
            return; // annotations, too, say nothing of what is wanted if they come with a status
        }
        boolean marked = strategy.countsAnnotations() && differ(object, before, "annotations")
                || strategy.countsLabels() && differ(object, before, "labels");
        if (marked || !Likeness.but(apartFromContent(), object, before)) {
            long generation = before.path("metadata").path("generation").asLong(0);
            Metadata.of(object).node().put("generation", generation + 1);
        }
    }

    private static boolean differ(ObjectNode object, ObjectNode before, String marks) {
        JsonNode now = object.path("metadata").path(marks);
        JsonNode was = before.path("metadata").path(marks);
        return !now.equals(was) && !(now.isEmpty() && was.isEmpty());
    }

    /** A status that has no path of its own is content like any other. */
    private Set<String> apartFromContent() {
        return hasStatusSubresource() || !type.isCustom()
                ? Set.of("metadata", "kind", "apiVersion", "status")
                : Set.of("metadata", "kind", "apiVersion");
    }

    void validate(ObjectNode object, ObjectNode before, String subresource, String version) {
        FieldErrors errors = new FieldErrors();
        MetadataValidation.validate(object, before, strategy, errors);
        FinalizerNames.check(type, Metadata.of(object), errors);
        strategy.validate(object, errors);
        strategy.validateWrite(object, before, version, errors);
        if (before == null || Metadata.of(before).node().path("initializers").isObject()) {
            strategy.validateCreate(object, errors); // nobody has seen it yet: initializers may change everything
        } else {
            strategy.validateUpdate(object, before, subresource, errors);
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(
                    type.group(), type.kind(), Metadata.of(object).name(), errors.causes());
        }
    }

    /** A wanted state that names the version it was made from is refused when that is no longer the current one. */
    void checkPreconditions(ObjectNode wanted, ObjectNode before, String name) {
        Metadata metadata = Metadata.of(wanted);
        if (!metadata.name().isEmpty() && !metadata.name().equals(name)) {
            throw ApiException.badRequest("the name of the object (" + metadata.name()
                    + ") does not match the name on the URL (" + name + ")");
        }
        if (!metadata.uid().isEmpty()
                && !metadata.uid().equals(Metadata.of(before).uid())) {
            throw uidMismatch(name, metadata.uid(), before);
        }
        String version = metadata.resourceVersion();
        boolean named = !version.isEmpty() && !version.equals("0");
        if (named && !version.equals(Metadata.of(before).resourceVersion())) {
            throw modified(type.groupResource(), name);
        }
    }

    /** Who applies to a certain object does not want another in its place. */
    void checkUnidentified(ObjectNode config, String name) {
        String uid = Metadata.of(config).uid();
        if (!uid.isEmpty()) {
            throw ApiException.conflict(
                    type.groupResource(),
                    name,
                    "uid mismatch: the provided object specified uid " + uid + ", and no existing object was found");
        }
    }

    void checkPreconditions(DeleteOptions delete, ObjectNode before, String name) {
        String uid = Metadata.of(before).uid();
        if (delete.uid() != null && !delete.uid().equals(uid)) {
            throw ApiException.conflict(
                    type.groupResource(),
                    name,
                    "the UID in the precondition (" + delete.uid() + ") does not match the UID in record (" + uid
                            + "). The object might have been deleted and then recreated");
        }
        String version = Metadata.of(before).resourceVersion();
        if (delete.resourceVersion() != null && !delete.resourceVersion().equals(version)) {
            throw ApiException.conflict(
                    type.groupResource(),
                    name,
                    "the ResourceVersion in the precondition (" + delete.resourceVersion()
                            + ") does not match the ResourceVersion in record (" + version
                            + "). The object might have been modified");
        }
    }

    /** True when a deleted object has nothing left to wait for. */
    boolean isFinished(ObjectNode object) {
        Metadata metadata = Metadata.of(object);
        return metadata.isBeingDeleted()
                && metadata.finalizers().isEmpty()
                && metadata.node().path("deletionGracePeriodSeconds").asLong(0) == 0
                && !strategy.holdsDeletion(object);
    }

    void markDeleted(ObjectNode object, long grace) {
        ObjectNode metadata = Metadata.of(object).node();
        metadata.put("deletionTimestamp", Metadata.time(clock.now().plusSeconds(bounded(grace))));
        metadata.put("deletionGracePeriodSeconds", grace);
        if (metadata.path("generation").asLong(0) > 0) {
            metadata.put("generation", metadata.get("generation").asLong() + 1);
        }
    }

    void shortenGrace(ObjectNode object, long grace, long currentGrace) {
        ObjectNode metadata = Metadata.of(object).node();
        Instant end = Instant.parse(metadata.get("deletionTimestamp").asText());
        metadata.put("deletionTimestamp", Metadata.time(end.minusSeconds(bounded(currentGrace) - bounded(grace))));
        metadata.put("deletionGracePeriodSeconds", grace);
    }

    /** Whatever grace is asked for, the year of the end has four digits. */
    private static long bounded(long grace) {
        return Math.min(grace, LONGEST_GRACE);
    }

    static ApiException modified(GroupResource resource, String name) {
        return ApiException.conflict(
                resource,
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    private ApiException uidMismatch(String name, String expected, ObjectNode before) {
        return ApiException.conflict(
                type.groupResource(),
                name,
                "Precondition failed: UID in precondition: " + expected + ", UID in object meta: "
                        + Metadata.of(before).uid());
    }

    private boolean hasStatusSubresource() {
        return type.subresource("status") != null;
    }

    private static void keepField(ObjectNode object, ObjectNode source, String field) {
        JsonNode value = source.get(field);
        if (value == null) {
            object.remove(field);
        } else {
            object.set(field, value);
        }
    }
}
