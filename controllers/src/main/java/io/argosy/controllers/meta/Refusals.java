package io.argosy.controllers.meta;

import io.argosy.api.status.ApiException;

/** Refusals that a controller expects and answers in its own way. */
public final class Refusals {
    private Refusals() {}

    /** Nothing can be created in a namespace that is going away, and no retry will change that. */
    public static boolean isNamespaceTerminating(Throwable failure) {
        return failure instanceof ApiException refusal && refusal.hasCause("NamespaceTerminating");
    }
}
