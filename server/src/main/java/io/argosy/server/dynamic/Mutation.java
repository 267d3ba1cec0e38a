package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.ManagedFields;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.patch.JsonPatch;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.server.dynamic.Subject.Version;
import java.util.List;
import java.util.Optional;

/** What becomes of an object that others may change, by a patch or otherwise: it stays an object of its kind, and what is the server's own stays as it was. */
public final class Mutation {
    private static final List<String> SET_BY_SERVER = List.of(
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "selfLink",
            "resourceVersion");

    private Mutation() {}

    /** The object as the patch leaves it. */
    public static ObjectNode patched(Version version, JsonNode patch) {
        JsonNode result;
        try {
            result = JsonPatch.apply(version.object().deepCopy(), patch);
        } catch (ApiException impossible) {
            throw ApiException.internal(impossible
                    .getMessage()
                    .replace("the server rejected our request due to an error in our request: ", ""));
        }
        if (result instanceof ObjectNode object) {
            return object;
        }
        throw ApiException.internal("the patch does not leave an object");
    }

    /** Puts the changed object, in that version, in the place of what it was; true if that makes a difference. */
    public static boolean take(Subject subject, Version version, ObjectNode changed) {
        ObjectNode before = version.object().deepCopy();
        checkKind(changed, before);
        clean(changed, version);
        if (before.path("metadata").isObject()) {
            guardMetadata(changed, before, subject);
        }
        if (subject.review().isWhole()) {
            guardContent(changed, before, subject.review().subresource(), version.type());
        }
        subject.replace(changed.deepCopy(), version.type());
        return !changed.equals(before);
    }

    private static void checkKind(ObjectNode changed, ObjectNode before) {
        for (String field : List.of("kind", "apiVersion")) {
            if (!changed.path(field).equals(before.path(field))) {
                throw ApiException.internal("the " + field + " of the object was changed from " + before.path(field)
                        + " to " + changed.path(field));
            }
        }
    }

    /** Fields that are not known are dropped, as a decoder does; values that are no such thing are not taken. */
    private static void clean(ObjectNode changed, Version version) {
        try {
            if (version.type().isCustom()
                    && version.kind().equals(version.type().groupVersionKind())) {
                version.type().custom().clean(changed);
                return;
            }
            Optional<Schema> schema = Schemas.builtIn().find(version.kind());
            if (schema.isPresent()) {
                SchemaCheck.clean(changed, schema.get());
            }
        } catch (SchemaCheck.MismatchException mismatch) {
            throw ApiException.internal(mismatch.getMessage());
        }
    }

    private static void guardMetadata(ObjectNode changed, ObjectNode before, Subject subject) {
        if (!(changed.get("metadata") instanceof ObjectNode metadata)) {
            throw ApiException.internal("the object was left without metadata");
        }
        JsonNode original = before.path("metadata");
        SET_BY_SERVER.forEach(field -> keep(metadata, original, field));
        boolean renamed = !metadata.path("name").equals(original.path("name"))
                && subject.review().before() != null;
        if (renamed || !metadata.path("namespace").equals(original.path("namespace"))) {
            throw ApiException.badRequest("the " + (renamed ? "name" : "namespace")
                    + " of the provided object does not match the " + (renamed ? "name" : "namespace")
                    + " sent on the request");
        }
        try {
            ManagedFields.decode(metadata.get("managedFields"));
        } catch (RuntimeException unreadable) {
            keep(metadata, original, "managedFields");
        }
    }

    /** Through one door nobody changes what only the other leads to. */
    private static void guardContent(ObjectNode changed, ObjectNode before, String subresource, ResourceType type) {
        if (subresource.equals("status")) {
            for (String field : before.properties().stream()
                    .map(java.util.Map.Entry::getKey)
                    .toList()) {
                if (!field.equals("status") && !field.equals("metadata")) {
                    keep(changed, before, field);
                }
            }
            List<String> added = changed.properties().stream()
                    .map(java.util.Map.Entry::getKey)
                    .filter(field -> !field.equals("status") && !before.has(field))
                    .toList();
            changed.remove(added);
        } else if (type.subresource("status") != null) {
            keep(changed, before, "status");
        }
    }

    private static void keep(ObjectNode object, JsonNode original, String field) {
        if (original.has(field)) {
            object.set(field, original.get(field));
        } else {
            object.remove(field);
        }
    }
}
