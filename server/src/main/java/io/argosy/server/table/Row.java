package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One object as the cells of a table ask about it: by path, with what to show where there is nothing. */
class Row {
    static final String NONE = "<none>";
    static final String UNKNOWN = "<unknown>";
    static final String UNSET = "<unset>";

    private final ObjectNode object;
    private final Instant now;

    Row(ObjectNode object, Instant now) {
        this.object = object;
        this.now = now;
    }

    /** Makes the row of an object. */
    interface Maker<R extends Row> {
        R row(ObjectNode object, Instant now);
    }

    /** How the object ended, where its kind can end. */
    Optional<TableDefinition.Completion> completion() {
        return Optional.empty();
    }

    final String name() {
        return text("metadata", "name");
    }

    final String age() {
        return since(at("metadata", "creationTimestamp"));
    }

    final boolean deleting() {
        return has("metadata", "deletionTimestamp");
    }

    /** The value at a path of field names; a missing node where there is none. */
    final JsonNode at(String... path) {
        JsonNode node = object;
        for (String field : path) {
            node = node.path(field);
        }
        return node;
    }

    final boolean has(String... path) {
        JsonNode node = at(path);
        return !node.isMissingNode() && !node.isNull();
    }

    /** The text at a path; empty where there is none. */
    final String text(String... path) {
        return at(path).asText("");
    }

    final String textOr(String absent, String... path) {
        return has(path) ? text(path) : absent;
    }

    /** The text at a path, or what to show where it is missing or empty. */
    final String filledOr(String empty, String... path) {
        String text = text(path);
        return text.isEmpty() ? empty : text;
    }

    final long number(String... path) {
        return at(path).asLong(0);
    }

    final boolean flag(String... path) {
        return at(path).asBoolean(false);
    }

    final int count(String... path) {
        return at(path).size();
    }

    /** The texts of a list, separated by commas. */
    final String joined(String... path) {
        return join(at(path), "");
    }

    /** One field of each element of a list, separated by commas. */
    static String join(JsonNode list, String field) {
        List<String> texts = new ArrayList<>(list.size());
        for (JsonNode element : list) {
            texts.add((field.isEmpty() ? element : element.path(field)).asText(""));
        }
        return String.join(",", texts);
    }

    /** How long ago a time was. */
    final String since(JsonNode time) {
        Optional<Instant> from = instant(time);
        return from.isEmpty() ? UNKNOWN : HumanDuration.of(Duration.between(from.get(), now));
    }

    final Instant now() {
        return now;
    }

    static Optional<Instant> instant(JsonNode time) {
        if (!time.isTextual()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.parse(time.asText()));
        } catch (DateTimeParseException notATime) {
            return Optional.empty();
        }
    }

    /** The status of a condition: True, False or Unknown; empty where the object does not have the condition. */
    final String condition(String type) {
        for (JsonNode condition : at("status", "conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path("status").asText();
            }
        }
        return "";
    }

    final boolean conditionIsTrue(String type) {
        return condition(type).equals("True");
    }
}
