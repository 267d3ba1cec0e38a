package io.argosy.controllers.volume.binder;

import io.argosy.client.event.EventRecorder;

/** What the binder has to say about a claim or a volume. */
record Told(EventRecorder.Type type, String reason, String message) {
    static Told normal(String reason, String message) {
        return new Told(EventRecorder.Type.Normal, reason, message);
    }

    static Told warning(String reason, String message) {
        return new Told(EventRecorder.Type.Warning, reason, message);
    }
}
