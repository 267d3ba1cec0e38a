package io.argosy.server.convert;

import static io.argosy.server.convert.Conversions.rename;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The two views of an Event: core/v1, as stored, and events.k8s.io/v1. */
final class EventConversion {
    private static final List<List<String>> NAMES = List.of(
            List.of("regarding", "involvedObject"),
            List.of("note", "message"),
            List.of("reportingController", "reportingComponent"),
            List.of("deprecatedSource", "source"),
            List.of("deprecatedFirstTimestamp", "firstTimestamp"),
            List.of("deprecatedLastTimestamp", "lastTimestamp"),
            List.of("deprecatedCount", "count"));

    private EventConversion() {}

    static void toCore(ObjectNode event) {
        NAMES.forEach(pair -> rename(event, pair.getFirst(), pair.getLast()));
    }

    static void fromCore(ObjectNode event) {
        NAMES.forEach(pair -> rename(event, pair.getLast(), pair.getFirst()));
    }
}
