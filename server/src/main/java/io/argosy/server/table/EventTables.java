package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** The table of events: what happened to which object, and when last. */
final class EventTables {
    private EventTables() {}

    static TableDefinition events() {
        Column count = new Column("Count", "string", "", "How often it happened.", 1);
        return TableBuilder.rows(Row::new)
                .text("Last Seen", "How long ago it last happened.", EventTables::lastSeen)
                .text("Type", "Whether it is normal or a warning.", row -> row.text("type"))
                .text("Reason", "What happened, in one word.", row -> row.text("reason"))
                .text("Object", "What it happened to.", EventTables::target)
                .wide(
                        "Subobject",
                        "The part it happened to.",
                        row -> object(row).path("fieldPath").asText(""))
                .wide("Source", "Who says so.", EventTables::source)
                .text("Message", "What happened, in words.", EventTables::message)
                .wide("First Seen", "How long ago it first happened.", EventTables::firstSeen)
                .add(count, TableBuilder.number(EventTables::count))
                .wideName()
                .build();
    }

    private static String message(Row event) {
        return event.text("message").strip();
    }

    private static String firstSeen(Row event) {
        JsonNode first = event.at("firstTimestamp");
        return event.since(first.isTextual() ? first : event.at("eventTime"));
    }

    private static String lastSeen(Row event) {
        if (event.has("series")) {
            return event.since(event.at("series", "lastObservedTime"));
        }
        JsonNode last = event.at("lastTimestamp");
        return last.isTextual() ? event.since(last) : firstSeen(event);
    }

    private static long count(Row event) {
        if (event.has("series")) {
            return event.number("series", "count");
        }
        return Math.max(1, event.number("count"));
    }

    private static String target(Row event) {
        JsonNode object = object(event);
        String kind = object.path("kind").asText("").toLowerCase(Locale.ROOT);
        String name = object.path("name").asText("");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    private static JsonNode object(Row event) {
        return event.at("involvedObject");
    }

    private static String source(Row event) {
        JsonNode source = event.at("source");
        String reporter = event.text("reportingComponent");
        String component = filled(source.path("component").asText(""), reporter);
        String instance = filled(source.path("host").asText(""), event.text("reportingInstance"));
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    private static String filled(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
