package io.argosy.node.agent.fake;

import io.argosy.client.event.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps the events it is given as lines: {@code Reason: message}. */
public final class FakeEvents implements EventRecorder {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void event(ObjectReference about, Type type, String reason, String message) {
        lines.add(reason + ": " + message);
    }

    @Override
    public void event(HasMetadata about, Type type, String reason, String message) {
        lines.add(reason + ": " + message);
    }

    public List<String> lines() {
        return lines;
    }
}
