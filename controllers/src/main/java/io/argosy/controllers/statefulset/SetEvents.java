package io.argosy.controllers.statefulset;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.event.EventRecorder.Type;
import io.argosy.controllers.meta.Refusals;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;

/** Tells what was done for a stateful set, and what failed, in the words that its users know. */
final class SetEvents {
    private final EventRecorder events;

    SetEvents(EventRecorder events) {
        this.events = events;
    }

    void done(StatefulSet set, String pod, String verb) {
        String where = verb + " Pod " + pod + " in StatefulSet " + name(set);
        events.event(set, Type.Normal, "Successful" + verb, where + " successful");
    }

    void failed(StatefulSet set, String pod, String verb, ApiException failure) {
        if (isNews(failure)) {
            String where = verb + " Pod " + pod + " in StatefulSet " + name(set);
            events.event(set, Type.Warning, "Failed" + verb, where + " failed error: " + failure.getMessage());
        }
    }

    void claimCreated(StatefulSet set, String claim, String pod) {
        String what = "Create Claim " + claim + " Pod " + pod + " in StatefulSet " + name(set);
        events.event(set, Type.Normal, "SuccessfulCreate", what + " success");
    }

    void claimFailed(StatefulSet set, String claim, String pod, ApiException failure) {
        if (isNews(failure)) {
            String what = "Create Claim " + claim + " for Pod " + pod + " in StatefulSet " + name(set);
            events.event(set, Type.Warning, "FailedCreate", what + " failed error: " + failure.getMessage());
        }
    }

    void claimForeign(StatefulSet set, String claim) {
        events.event(
                set,
                Type.Warning,
                "ConflictingController",
                "PersistentVolumeClaim " + claim
                        + " has a conflicting OwnerReference that acts as a manging controller, the retention policy"
                        + " is ignored for this claim");
    }

    /** What is already there is seen soon, and in a namespace that is going away nobody listens. */
    private static boolean isNews(ApiException failure) {
        return !failure.is(Reason.AlreadyExists) && !Refusals.isNamespaceTerminating(failure);
    }

    private static String name(StatefulSet set) {
        return set.getMetadata().getName();
    }
}
