package io.argosy.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Puts merged list elements in the order the patch asks for, and those only the server knew where they were among them. */
final class ElementOrder {
    private ElementOrder() {}

    static List<JsonNode> apply(
            List<JsonNode> merged, List<JsonNode> live, List<JsonNode> wanted, Function<JsonNode, JsonNode> key) {
        if (wanted.isEmpty()) {
            return merged;
        }
        List<JsonNode> named = new ArrayList<>();
        for (JsonNode one : wanted) {
            merged.stream().filter(element -> one.equals(key.apply(element))).forEach(named::add);
        }
        List<JsonNode> serverOnly = new ArrayList<>(merged);
        serverOnly.removeIf(element -> wanted.contains(key.apply(element)));
        List<JsonNode> liveKeys = live.stream().map(key).toList();
        List<JsonNode> ordered = new ArrayList<>();
        int next = 0;
        for (JsonNode element : named) {
            int place = liveKeys.indexOf(key.apply(element));
            while (place >= 0
                    && next < serverOnly.size()
                    && liveKeys.indexOf(key.apply(serverOnly.get(next))) < place) {
                ordered.add(serverOnly.get(next++));
            }
            ordered.add(element);
        }
        ordered.addAll(serverOnly.subList(next, serverOnly.size()));
        return ordered;
    }
}
