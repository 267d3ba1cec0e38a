package io.argosy.network;

import io.argosy.client.event.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Keeps events as lines: about what, the reason, the message. */
final class FakeEvents implements EventRecorder {
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Override
    public void event(ObjectReference about, Type type, String reason, String message) {
        told.add(type + " " + about.getName() + " " + reason + ": " + message);
    }

    @Override
    public void event(HasMetadata about, Type type, String reason, String message) {
        told.add(type + " " + about.getMetadata().getName() + " " + reason + ": " + message);
    }
}
