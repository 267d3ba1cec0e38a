package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.time.CronSchedule;
import io.argosy.server.validation.Spot;
import java.time.ZoneId;
import java.util.regex.Pattern;

/** When a timetable calls, and in which time zone that is meant. */
public final class TimetableRules {
    private static final Pattern ZONE_PART = Pattern.compile("(?!-)[A-Za-z.\\-_0-9+]{1,14}");
    private static final String IN_SCHEDULE = "TZ";

    private TimetableRules() {}

    /**
     * Checks when a new timetable calls, or one that changed.
     *
     * @param before the spec as it is; missing for a new timetable
     */
    public static void schedule(Spot spec, JsonNode before) {
        Spot schedule = spec.at("schedule");
        if (!schedule.needed()) {
            return;
        }
        syntax(schedule);
        if (schedule.text().contains(IN_SCHEDULE)) {
            if (!before.path("schedule").asText().contains(IN_SCHEDULE)) {
                schedule.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            } else if (spec.has("timeZone")) {
                schedule.invalid("cannot use both timeZone field and TZ or CRON_TZ in schedule");
            }
        }
    }

    /** The same for the time zone; one that was known once stays good. */
    public static void zone(Spot spec, JsonNode before) {
        Spot zone = spec.at("timeZone");
        if (zone.isGiven() && !zone.value().equals(before.path("timeZone"))) {
            zone(zone);
        }
    }

    private static void syntax(Spot schedule) {
        String text = schedule.text();
        boolean zoned = text.startsWith("TZ=") || text.startsWith("CRON_TZ=");
        try {
            CronSchedule.parse(zoned ? text.substring(text.indexOf(' ') + 1).strip() : text);
        } catch (IllegalArgumentException unreadable) {
            schedule.invalid(unreadable.getMessage());
        }
    }

    private static void zone(Spot zone) {
        if (zone.text().isEmpty()) {
            zone.invalid("timeZone must be nil or non-empty string");
            return;
        }
        for (String part : zone.text().split("/", -1)) {
            if (part.equals(".")
                    || part.equals("..")
                    || !ZONE_PART.matcher(part).matches()) {
                unknown(zone);
                return;
            }
        }
        if (zone.text().equalsIgnoreCase("Local")) {
            zone.invalid("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
        } else if (!ZoneId.getAvailableZoneIds().contains(zone.text())) {
            unknown(zone);
        }
    }

    private static void unknown(Spot zone) {
        zone.invalid("unknown time zone " + zone.text());
    }
}
