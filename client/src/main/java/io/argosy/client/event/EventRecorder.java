package io.argosy.client.event;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;

/** Writes Events about objects; never blocks and never fails its caller. Repeated events are counted, not multiplied. */
public interface EventRecorder {
    /** Says something about the object referred to; the reason is one word in CamelCase, the message a sentence for people. */
    void event(ObjectReference about, Type type, String reason, String message);

    /** The same about an object at hand. */
    void event(HasMetadata about, Type type, String reason, String message);

    /** How serious it is. */
    enum Type {
        /** Something went as it should. */
        Normal,
        /** Somebody should look at this. */
        Warning
    }
}
