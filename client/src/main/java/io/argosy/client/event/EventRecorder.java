package io.argosy.client.event;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;

/** Writes Events about objects; never blocks and never fails its caller. Repeated events are counted, not multiplied. */
public interface EventRecorder {
    void event(ObjectReference about, Type type, String reason, String message);

    void event(HasMetadata about, Type type, String reason, String message);

    enum Type {
        Normal,
        Warning
    }
}
