package io.argosy.node.agent.pod;

import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * How far a change of a pod's resources has come.
 *
 * @param pending why the node has not granted it
 * @param progress it was granted, and not everything that runs has it yet; with a reason when that failed
 * @param actual what the running containers have, by their names
 */
public record Resizing(Optional<Note> pending, Optional<Note> progress, Map<String, ResourceRequirements> actual) {
    public static final Resizing NONE = new Resizing(Optional.empty(), Optional.empty(), Map.of());

    public Resizing {
        actual = Map.copyOf(actual);
    }

    /**
     * What a condition says of it.
     *
     * @param generation of the pod that is spoken of
     * @param since when the reason became what it is
     */
    public record Note(String reason, String message, long generation, Instant since) {
        /** The same matter at a later time: what it is called decides whether it is news. */
        Note after(Optional<Note> before) {
            return before.filter(b -> b.reason.equals(reason))
                    .map(b -> new Note(reason, message, generation, b.since))
                    .orElse(this);
        }
    }
}
