package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.names.Names;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;

/** Pods that a node reads from files: made whole and held against the rules as if they had come to the server. */
public final class PodManifests {
    private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
    private static final PodStrategy STRATEGY = new PodStrategy();

    private PodManifests() {}

    /** Fills in what the manifest leaves out; throws what the server would answer to a bad one. */
    public static ObjectNode complete(ObjectNode manifest) {
        ObjectNode pod = manifest.deepCopy();
        String kind = pod.path("kind").asText("");
        if (!kind.equals(POD.kind()) || !pod.path("apiVersion").asText("").equals(POD.version())) {
            throw ApiException.badRequest("a manifest must be of kind Pod in version v1, not "
                    + (kind.isEmpty()
                            ? "without a kind"
                            : kind + " in version " + pod.path("apiVersion").asText()));
        }
        try {
            SchemaCheck.clean(pod, Schemas.builtIn().find(POD).orElseThrow());
        } catch (SchemaCheck.MismatchException mismatch) {
            throw ApiException.badRequest("Pod in version \"v1\" cannot be handled as a Pod: " + mismatch.getMessage());
        }
        pod.remove("status");
        STRATEGY.applyDefaults(pod);
        String name = pod.at("/metadata/name").asText("");
        FieldErrors errors = new FieldErrors();
        if (name.isEmpty()) {
            errors.required("metadata.name", "name or generateName is required");
        } else {
            Names.subdomainError(name).ifPresent(error -> errors.invalid("metadata.name", name, error));
        }
        STRATEGY.validateCreate(pod, errors);
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", POD.kind(), name, errors.causes());
        }
        return pod;
    }
}
