package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.cel.Addresses;
import io.argosy.server.cel.Patterns;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The formats a schema can demand of text and numbers; one that is not known demands nothing. */
final class Formats {
    private static final String UUID_START = "^[0-9a-f]{8}-?[0-9a-f]{4}-?";
    private static final String UUID_END = "[0-9a-f]{4}-?[0-9a-f]{12}$";
    private static final String UUID_VARIANT = "[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final String IPV4 = "(" + OCTET + "\\.){3}" + OCTET;

    private static final Map<String, Predicate<String>> TEXTS = Map.ofEntries(
            Map.entry("date", Formats::isDate),
            Map.entry("date-time", Formats::isTime),
            Map.entry("datetime", Formats::isTime),
            Map.entry("duration", Formats::isDuration),
            Map.entry("byte", Formats::isBase64),
            Map.entry("uuid", text -> Patterns.matches(UUID_START + "[0-9a-f]{4}-?" + UUID_END, lower(text))),
            Map.entry("uuid3", text -> Patterns.matches(UUID_START + "3[0-9a-f]{3}-?" + UUID_END, lower(text))),
            Map.entry("uuid4", text -> Patterns.matches(UUID_START + "4" + UUID_VARIANT, lower(text))),
            Map.entry("uuid5", text -> Patterns.matches(UUID_START + "5" + UUID_VARIANT, lower(text))),
            Map.entry("ipv4", text -> Patterns.matches("^" + IPV4 + "$", text)),
            Map.entry(
                    "ipv6",
                    text -> Addresses.address(text)
                            .filter(one -> one.length() == 16)
                            .isPresent()),
            Map.entry("cidr", text -> Addresses.range(text).isPresent()),
            Map.entry("mac", text -> Patterns.matches("^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", text)),
            Map.entry("email", text -> Patterns.matches("^[^@\\s]+@[^@\\s]+$", text)),
            Map.entry("uri", Formats::isUri),
            Map.entry(
                    "hostname",
                    text -> Patterns.matches(
                            "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\\.?$",
                            text)),
            Map.entry("hexcolor", text -> Patterns.matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text)),
            Map.entry("isbn", text -> Patterns.matches("^[0-9Xx -]{10,17}$", text)),
            Map.entry("bsonobjectid", text -> Patterns.matches("^[0-9a-fA-F]{24}$", text)),
            Map.entry("creditcard", text -> Patterns.matches("^[0-9 -]{13,23}$", text)),
            Map.entry("ssn", text -> Patterns.matches("^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$", text)),
            Map.entry("k8s-short-name", text -> Names.labelError(text).isEmpty()),
            Map.entry("k8s-long-name", text -> Names.subdomainError(text).isEmpty()));

    private Formats() {}

    static boolean fits(String format, String text) {
        Predicate<String> check = TEXTS.get(format);
        return check == null || check.test(text);
    }

    /** The format a number is too large for; empty if it is not. */
    static Optional<String> range(String format, JsonNode number) {
        boolean fits = switch (format) {
            case "int32" -> number.canConvertToInt();
            case "int64" -> number.canConvertToLong();
            default -> true;
        };
        return fits ? Optional.empty() : Optional.of("integer with format " + format + " in range");
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean isDate(String text) {
        try {
            LocalDate.parse(text);
            return true;
        } catch (DateTimeException wrong) {
            return false;
        }
    }

    private static boolean isTime(String text) {
        try {
            OffsetDateTime.parse(text.replace(' ', 'T'));
            return true;
        } catch (DateTimeException wrong) {
            return false;
        }
    }

    private static boolean isDuration(String text) {
        return Patterns.matches("^[-+]?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))+$|^0$", text)
                || Patterns.matches(
                        "^[0-9]+ ?(nanos?|nanoseconds?|micros?|microseconds?|millis?|milliseconds?|sec(s|ond|onds)?|min(s|ute|utes)?"
                                + "|h(r|rs|our|ours)?|d(ays?)?|w(k|eeks?)?)$",
                        text);
    }

    private static boolean isBase64(String text) {
        try {
            Base64.getDecoder().decode(text);
            return true;
        } catch (IllegalArgumentException wrong) {
            return false;
        }
    }

    private static boolean isUri(String text) {
        try {
            URI uri = new URI(text);
            return uri.isAbsolute() || text.startsWith("/");
        } catch (URISyntaxException wrong) {
            return false;
        }
    }
}
