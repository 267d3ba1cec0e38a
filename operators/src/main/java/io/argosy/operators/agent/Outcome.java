package io.argosy.operators.agent;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.argosy.operators.snapshot.SnapshotException;

/**
 * What became of a task. An agent leaves it as its container's termination message.
 *
 * @param failure why nothing became of it, in a word; null if it was done
 * @param message the same in a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Outcome(
        String failure,
        String message,
        String version,
        Long revision,
        Long size,
        String sha256,
        String location,
        String key) {
    public static Outcome failed(String reason, String message) {
        return new Outcome(reason, message, null, null, null, null, null, null);
    }

    static Outcome failed(SnapshotException e) {
        return failed(e.reason(), e.getMessage());
    }

    public boolean succeeded() {
        return failure == null;
    }
}
