package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Admission;

/** Who writes a definition in today's version must write it in today's form; the old version may still be used for what it was for. */
public final class DefinitionForm implements Admission {
    static final String APPROVAL = "api-approved.kubernetes.io";
    static final String NOT_PRESERVING =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

    private static final String SEE = ", see https://github.com/kubernetes/enhancements/pull/1111";

    @Override
    public void validate(Review review) {
        boolean concerned = review.operation() == Operation.CREATE
                && review.type().group().equals("apiextensions.k8s.io")
                && review.options().writer().apiVersion().equals("apiextensions.k8s.io/v1");
        if (!concerned) {
            return;
        }
        FieldErrors errors = new FieldErrors();
        JsonNode spec = review.object().path("spec");
        if (spec.path("preserveUnknownFields").asBoolean()) {
            errors.invalid("spec.preserveUnknownFields", true, NOT_PRESERVING);
        }
        approval(review.object(), errors);
        if (!errors.isEmpty()) {
            throw ApiException.invalid(review.type().group(), review.type().kind(), review.name(), errors.causes());
        }
    }

    private static void approval(JsonNode definition, FieldErrors errors) {
        if (!isProtected(definition.path("spec").path("group").asText())) {
            return;
        }
        String approval =
                definition.path("metadata").path("annotations").path(APPROVAL).asText("");
        String field = "metadata.annotations[" + APPROVAL + "]";
        if (approval.isEmpty()) {
            errors.required(field, reason(approval));
        } else if (!isApproval(approval)) {
            errors.invalid(field, approval, reason(approval));
        }
    }

    static boolean isProtected(String group) {
        return group.equals("k8s.io")
                || group.endsWith(".k8s.io")
                || group.equals("kubernetes.io")
                || group.endsWith(".kubernetes.io");
    }

    static boolean isApproval(String annotation) {
        return annotation.startsWith("unapproved") || annotation.matches("https?://[^/]+.*");
    }

    static String reason(String annotation) {
        if (annotation.isEmpty()) {
            return "protected groups must have approval annotation \"" + APPROVAL + "\"" + SEE;
        }
        if (annotation.startsWith("unapproved")) {
            return "not approved: \"" + annotation + "\"";
        }
        return isApproval(annotation)
                ? "approved in " + annotation
                : "protected groups must have approval annotation \"" + APPROVAL
                        + "\" with either a URL or a reason starting with \"unapproved\"" + SEE;
    }
}
