package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.registry.ResourceStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The class of those who name none.
 *
 * @param annotations one of which says {@code true} on a class that is a default
 */
record DefaultClass(Supplier<ResourceStore> classes, List<String> annotations) {
    /** Of several the newest, of those that are equally new the first by name. */
    Optional<String> name() {
        return classes.get().snapshot("").objects().stream()
                .map(found -> Json.decodeObject(found.json()).path("metadata"))
                .filter(this::isMarked)
                .sorted(Comparator.comparing((JsonNode metadata) ->
                                metadata.path("creationTimestamp").asText())
                        .reversed()
                        .thenComparing(metadata -> metadata.path("name").asText()))
                .map(metadata -> metadata.path("name").asText())
                .findFirst();
    }

    private boolean isMarked(JsonNode metadata) {
        return annotations.stream()
                .anyMatch(
                        name -> metadata.path("annotations").path(name).asText().equals("true"));
    }
}
