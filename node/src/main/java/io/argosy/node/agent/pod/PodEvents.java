package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;

/** Writes Events about one pod and its containers; from any thread. */
final class PodEvents {
    private final EventRecorder recorder;
    private final PodMemory memory;

    PodEvents(EventRecorder recorder, PodMemory memory) {
        this.recorder = recorder;
        this.memory = memory;
    }

    void pod(EventRecorder.Type type, String reason, String message) {
        recorder.event(PodFacts.reference(memory.raw), type, reason, message);
    }

    void container(String name, EventRecorder.Type type, String reason, String message) {
        recorder.event(PodFacts.reference(memory.raw, name), type, reason, message);
    }
}
