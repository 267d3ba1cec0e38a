package io.argosy.operators.agent;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.argosy.operators.resource.StoragePlace;
import java.util.List;

/**
 * What an agent, a pod of the operators' own image, has to do with a snapshot.
 *
 * @param endpoints whom to take it from
 * @param place where it is or goes
 * @param periodic whether it is one of many, and named by its revision and time
 * @param keep how many of those there may be; 0 is any
 * @param unproved which of those were to be proved and were not; null if none
 * @param revision which a member that was made of it must have reached
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Task(
        List<String> endpoints,
        StoragePlace place,
        boolean periodic,
        int keep,
        List<String> unproved,
        Long revision,
        long timeoutSeconds) {
    public static Task save(
            List<String> endpoints, StoragePlace place, boolean periodic, int keep, long timeoutSeconds) {
        return new Task(endpoints, place, periodic, keep, null, null, timeoutSeconds);
    }

    /** And these of the same place go. */
    public Task without(List<String> keys) {
        return keys.isEmpty() ? this : new Task(endpoints, place, periodic, keep, keys, revision, timeoutSeconds);
    }

    public static Task fetch(StoragePlace place, long timeoutSeconds) {
        return new Task(null, place, false, 0, null, null, timeoutSeconds);
    }

    /** Afterwards, of all that there are in that place, so many are kept. */
    public Task prune(StoragePlace from, int many, List<String> bad) {
        return new Task(endpoints, from, periodic, many, bad, revision, timeoutSeconds);
    }

    public static Task prove(String endpoint, long revision, long timeoutSeconds) {
        return new Task(List.of(endpoint), null, false, 0, null, revision, timeoutSeconds);
    }
}
