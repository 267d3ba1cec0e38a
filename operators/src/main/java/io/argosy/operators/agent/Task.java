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
 * @param revision which a member that was made of it must have reached
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Task(
        List<String> endpoints, StoragePlace place, boolean periodic, int keep, Long revision, long timeoutSeconds) {
    public static Task save(
            List<String> endpoints, StoragePlace place, boolean periodic, int keep, long timeoutSeconds) {
        return new Task(endpoints, place, periodic, keep, null, timeoutSeconds);
    }

    public static Task fetch(StoragePlace place, long timeoutSeconds) {
        return new Task(null, place, false, 0, null, timeoutSeconds);
    }

    public static Task prove(String endpoint, long revision, long timeoutSeconds) {
        return new Task(List.of(endpoint), null, false, 0, revision, timeoutSeconds);
    }
}
