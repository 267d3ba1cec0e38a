package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Admission.Review;
import io.argosy.server.registry.WriteOptions;

/** Puts requests on parts of objects, in the part's own form, before the webhooks and policies that administrators have set over them. */
final class Parts {
    private final Admission admission;

    Parts(Admission admission) {
        this.admission = admission;
    }

    /**
     * Lets the part pass or throws; the part may be another one afterwards.
     *
     * @param type the resource in its storage version
     */
    void admit(
            Operation operation,
            ResourceType type,
            ResourceRequest request,
            GroupVersionKind kind,
            ObjectNode part,
            ObjectNode before,
            WriteOptions options) {
        Review review = Review.ofPart(
                operation,
                type,
                request.subresource(),
                kind,
                request.namespace(),
                request.name(),
                part,
                before,
                options);
        admission.mutate(review);
        admission.validate(review);
    }
}
