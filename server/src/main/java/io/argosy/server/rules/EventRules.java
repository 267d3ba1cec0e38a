package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What happened to what. Events that say when it happened are of the new style and must say more; those that come through the group of their
 * own must be of that style, and stay what they are but for the series they begin.
 */
public final class EventRules {
    private static final String OWN_GROUP = "events.k8s.io/";
    private static final String STRICT = OWN_GROUP + "v1";
    private static final int LONGEST = 128;
    private static final int LONGEST_MESSAGE = 1024;
    private static final List<String> FIXED = List.of(
            "involvedObject",
            "reason",
            "message",
            "source",
            "firstTimestamp",
            "lastTimestamp",
            "count",
            "type",
            "eventTime",
            "action",
            "related",
            "reportingComponent",
            "reportingInstance");
    private static final List<String> OF_OLD = List.of("firstTimestamp", "lastTimestamp", "count", "source");

    private EventRules() {}

    /**
     * Checks an event in its core form.
     *
     * @param before the event as it is; missing for a new one
     * @param version the version in which it was written
     */
    public static void check(Spot event, JsonNode before, String version) {
        Spot reporter = event.at("reportingComponent")
                .called(version.startsWith(OWN_GROUP) ? "reportingController" : "reportingComponent");
        String namespace = event.at("metadata").text("namespace");
        Spot about = event.at("involvedObject").at("namespace");
        if (event.has("eventTime")) {
            if (about.text().isEmpty() && !namespace.equals("default") && !namespace.equals("kube-system")) {
                about.invalid("does not match event.namespace");
            }
            newStyle(event, reporter);
        } else if (about.text().isEmpty() ? !namespace.equals("default") : !namespace.equals(about.text())) {
            about.invalid("does not match event.namespace");
        }
        if (version.equals(STRICT)) {
            strictly(event, before, reporter.path());
        }
    }

    private static void newStyle(Spot event, Spot reporter) {
        reporter.needed();
        reporter.qualifiedName();
        for (String field : List.of("reportingInstance", "action", "reason")) {
            event.at(field).needed();
            shorter(event.at(field), LONGEST);
        }
        shorter(event.at("message"), LONGEST_MESSAGE);
    }

    private static void shorter(Spot text, int longest) {
        if (text.bytes() > longest) {
            text.invalid("", "can have at most " + longest + " characters");
        }
    }

    private static void strictly(Spot event, JsonNode before, String reporter) {
        if (!before.isObject()) {
            event.at("metadata").at("name").subdomain();
        }
        if (!event.at("series").value().equals(before.path("series"))) {
            series(event.at("series"));
        }
        if (before.isObject()) {
            for (String field : FIXED) {
                Spot now = event.at(field);
                if (!same(now.value(), before.path(field))) {
                    now.called(field.equals("reportingComponent") ? reporter : field)
                            .invalid(now.isGiven() ? now.value() : "", "field is immutable");
                }
            }
            return;
        }
        event.at("eventTime").needed();
        if (!List.of("Normal", "Warning").contains(event.text("type"))) {
            event.at("type").invalid("", "has invalid value: " + event.text("type"));
        }
        for (String field : OF_OLD) {
            Spot old = event.at(field);
            boolean unset = !old.isGiven()
                    || old.value().isContainerNode() && old.value().isEmpty();
            if (!unset && !(old.value().isNumber() && old.number() == 0)) {
                old.invalid("", "needs to be unset");
            }
        }
    }

    private static void series(Spot series) {
        if (!series.isGiven()) {
            return;
        }
        if (series.at("count").number() < 2) {
            series.at("count").invalid("", "should be at least 2");
        }
        series.at("lastObservedTime").needed();
    }

    /** Nothing is as good as empty, and a time as good as one that differs by less than a microsecond. */
    private static boolean same(JsonNode one, JsonNode other) {
        return one.equals(other)
                || isNothing(one) && isNothing(other)
                || one.isTextual() && other.isTextual() && micros(one).equals(micros(other));
    }

    private static boolean isNothing(JsonNode value) {
        return value.isMissingNode()
                || value.isNull()
                || value.isTextual() && value.asText().isEmpty()
                || value.isContainerNode() && value.isEmpty()
                || value.isNumber() && value.asLong() == 0;
    }

    private static Object micros(JsonNode time) {
        try {
            return Instant.parse(time.asText()).truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeParseException noTime) {
            return time;
        }
    }
}
