package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;
import java.util.List;

/** What a question about permissions must say: of whom and of what it is, and no more than one thing at a time. */
public final class AccessReviewRules {
    private static final List<String> SELECTORS = List.of("fieldSelector", "labelSelector");

    private AccessReviewRules() {}

    /** Asked by somebody about himself. */
    public static void ofSelf(Spot review) {
        attributes(review.at("spec"));
        metadata(review.at("metadata"), "");
    }

    public static void ofAnybody(Spot review) {
        attributes(review.at("spec"));
        subject(review.at("spec"));
        metadata(review.at("metadata"), "");
    }

    /** Asked by those who may ask only about one namespace. */
    public static void inNamespace(Spot review, String namespace) {
        Spot spec = review.at("spec");
        attributes(spec);
        subject(spec);
        metadata(review.at("metadata"), " except for namespace");
        Spot asked = spec.at("resourceAttributes").at("namespace");
        if (spec.has("resourceAttributes") && !asked.text().equals(namespace)) {
            asked.invalid(asked.text(), "must match metadata.namespace");
        }
        if (spec.has("nonResourceAttributes")) {
            spec.at("nonResourceAttributes").invalid("disallowed on this kind of request");
        }
    }

    private static void subject(Spot spec) {
        if (spec.text("user").isEmpty() && spec.at("groups").value().isEmpty()) {
            spec.at("user").invalid("", "at least one of user or group must be specified");
        }
    }

    private static void attributes(Spot spec) {
        boolean resource = spec.has("resourceAttributes");
        boolean path = spec.has("nonResourceAttributes");
        if (resource && path) {
            spec.at("nonResourceAttributes").invalid("cannot be specified in combination with resourceAttributes");
        } else if (!resource && !path) {
            spec.at("resourceAttributes")
                    .invalid(
                            (Object) null,
                            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
        }
        for (String field : SELECTORS) {
            Spot selector = spec.at("resourceAttributes").at(field);
            if (selector.isGiven()) {
                selector(selector);
            }
        }
    }

    private static void selector(Spot selector) {
        boolean raw = !selector.text("rawSelector").isEmpty();
        boolean parsed = !selector.at("requirements").value().isEmpty();
        if (raw && parsed) {
            selector.at("rawSelector").invalid("may not specified at the same time as requirements");
        } else if (!raw && !parsed) {
            selector.at("requirements")
                    .required("when " + selector.path() + " is specified, requirements or rawSelector is required");
        }
    }

    private static void metadata(Spot metadata, String except) {
        for (var field : metadata.value().properties()) {
            JsonNode value = field.getValue();
            boolean said =
                    !value.isNull() && !(value.isTextual() && value.asText().isEmpty());
            boolean allowed =
                    field.getKey().equals("managedFields") || field.getKey().equals("namespace") && !except.isEmpty();
            if (said && !allowed) {
                metadata.invalid("must be empty" + except);
                return;
            }
        }
    }
}
