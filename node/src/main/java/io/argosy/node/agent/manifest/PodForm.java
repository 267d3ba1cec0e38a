package io.argosy.node.agent.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes a pod of a manifest whole and holds it against the rules for pods. */
public interface PodForm {
    /** Takes every pod as it is. */
    PodForm AS_GIVEN = manifest -> manifest;

    /** The pod with all that a manifest may leave out; an {@link io.argosy.api.status.ApiException} says what is wrong with it. */
    ObjectNode complete(ObjectNode manifest);
}
