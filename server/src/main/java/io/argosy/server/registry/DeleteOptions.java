package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/**
 * How a deletion is to be carried out; absent values are null.
 *
 * @param orphansByDefault whether dependents stay where neither the client nor the object says what is to become of them
 */
public record DeleteOptions(
        Long gracePeriodSeconds,
        String propagationPolicy,
        String uid,
        String resourceVersion,
        boolean dryRun,
        boolean orphansByDefault) {
    public static final DeleteOptions DEFAULT = new DeleteOptions(null, null, null, null, false);

    private static final List<String> POLICIES = List.of("Foreground", "Background", "Orphan");
    private static final List<String> SUPPORTED_POLICIES = List.of("Foreground", "Background", "Orphan", "nil");

    public DeleteOptions(
            Long gracePeriodSeconds, String propagationPolicy, String uid, String resourceVersion, boolean dryRun) {
        this(gracePeriodSeconds, propagationPolicy, uid, resourceVersion, dryRun, false);
    }

    /** Reads the {@code DeleteOptions} object a client sent. */
    public static DeleteOptions of(JsonNode body) {
        FieldErrors errors = new FieldErrors();
        Long grace = body.hasNonNull("gracePeriodSeconds")
                ? Long.valueOf(body.get("gracePeriodSeconds").asLong())
                : null;
        String policy = body.path("propagationPolicy").asText(null);
        if (policy != null && body.hasNonNull("orphanDependents")) {
            errors.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set");
        }
        if (policy != null && !POLICIES.contains(policy)) {
            errors.notSupported("propagationPolicy", policy, SUPPORTED_POLICIES);
        }
        JsonNode stages = body.path("dryRun");
        if (stages.valueStream().anyMatch(stage -> !stage.asText().equals("All"))) {
            errors.notSupported("dryRun", stages, List.of("All"));
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("meta.k8s.io", "DeleteOptions", "", errors.causes());
        }
        if (body.hasNonNull("orphanDependents")) {
            policy = body.get("orphanDependents").asBoolean() ? "Orphan" : "Background";
        }
        return new DeleteOptions(
                grace,
                policy,
                body.path("preconditions").path("uid").asText(null),
                body.path("preconditions").path("resourceVersion").asText(null),
                !body.path("dryRun").isEmpty());
    }

    /** The same, only for the object at this version. */
    public DeleteOptions at(String version) {
        return new DeleteOptions(gracePeriodSeconds, propagationPolicy, uid, version, dryRun, orphansByDefault);
    }

    /** The same, of a resource that has no dependents. */
    public DeleteOptions alone() {
        return new DeleteOptions(gracePeriodSeconds, null, uid, resourceVersion, dryRun);
    }

    /** The same, of a resource whose dependents stay unless somebody says otherwise. */
    public DeleteOptions orphaningByDefault() {
        return new DeleteOptions(gracePeriodSeconds, propagationPolicy, uid, resourceVersion, dryRun, true);
    }
}
