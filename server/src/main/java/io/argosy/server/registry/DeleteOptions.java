package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/** How a deletion is to be carried out; absent values are null. */
public record DeleteOptions(
        Long gracePeriodSeconds, String propagationPolicy, String uid, String resourceVersion, boolean dryRun) {
    public static final DeleteOptions DEFAULT = new DeleteOptions(null, null, null, null, false);

    /** Reads the {@code DeleteOptions} object a client sent. */
    public static DeleteOptions of(JsonNode body) {
        Long grace = body.hasNonNull("gracePeriodSeconds")
                ? Long.valueOf(body.get("gracePeriodSeconds").asLong())
                : null;
        String policy = body.path("propagationPolicy").asText(null);
        if (body.hasNonNull("orphanDependents")) {
            if (policy != null) {
                throw ApiException.badRequest(
                        "DeleteOptions is invalid: orphanDependents and deletionPropagation cannot be both set");
            }
            policy = body.get("orphanDependents").asBoolean() ? "Orphan" : "Background";
        }
        return new DeleteOptions(
                grace,
                policy,
                body.path("preconditions").path("uid").asText(null),
                body.path("preconditions").path("resourceVersion").asText(null),
                dryRun(body.path("dryRun")));
    }

    private static boolean dryRun(JsonNode stages) {
        for (JsonNode stage : stages) {
            if (!stage.asText().equals("All")) {
                FieldErrors errors = new FieldErrors();
                errors.notSupported("dryRun", stage.asText(), List.of("All"));
                throw ApiException.invalid("meta.k8s.io", "DeleteOptions", "", errors.causes());
            }
        }
        return !stages.isEmpty();
    }

    /** The URL's parameters win over the body's fields. */
    public DeleteOptions with(Long grace, String policy, boolean alsoDryRun) {
        return new DeleteOptions(
                grace == null ? gracePeriodSeconds : grace,
                policy == null ? propagationPolicy : policy,
                uid,
                resourceVersion,
                dryRun || alsoDryRun);
    }
}
