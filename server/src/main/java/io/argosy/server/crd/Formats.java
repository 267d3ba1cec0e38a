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
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The formats a schema can demand of text and numbers; one that is not known demands nothing. */
final class Formats {
    private static final String UUID_START = "^[0-9a-f]{8}-?[0-9a-f]{4}-?";
    private static final String UUID_END = "[0-9a-f]{4}-?[0-9a-f]{12}$";
    private static final String UUID_VARIANT = "[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    private static final String OCTET = "0*(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final String IPV4 = "(" + OCTET + "\\.){3}" + OCTET;

    private static final String SHADE = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
    private static final Pattern LEADING_ZEROS = Pattern.compile("(^|\\.)0+(?=[0-9])");
    private static final String HOST_LETTER = "[a-zA-Z0-9\\p{S}\\p{L}]";
    private static final int LONGEST_HOST = 255;
    private static final int LONGEST_LABEL = 63;

    private static final Map<String, Predicate<String>> TEXTS = Map.ofEntries(
            Map.entry("date", Formats::isDate),
            Map.entry("datetime", Formats::isTime),
            Map.entry("duration", Formats::isDuration),
            Map.entry(
                    "byte",
                    text -> Patterns.matches(
                            "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$", text)),
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
            Map.entry(
                    "cidr",
                    text -> Addresses.range(LEADING_ZEROS.matcher(text).replaceAll("$1"))
                            .isPresent()),
            Map.entry("mac", text -> Patterns.matches("^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", text)),
            Map.entry("email", text -> Patterns.matches("^[^@\\s]+@[^@\\s]+$", text)),
            Map.entry("uri", Formats::isUri),
            Map.entry("hostname", Formats::isHost),
            Map.entry("hexcolor", text -> Patterns.matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text)),
            Map.entry(
                    "rgbcolor",
                    text -> Patterns.matches("^rgb\\(\\s*" + SHADE + "(\\s*,\\s*" + SHADE + "){2}\\s*\\)$", text)),
            Map.entry("isbn", text -> CheckDigits.isBook10(text) || CheckDigits.isBook13(text)),
            Map.entry("isbn10", CheckDigits::isBook10),
            Map.entry("isbn13", CheckDigits::isBook13),
            Map.entry("bsonobjectid", text -> Patterns.matches("^[0-9a-fA-F]{24}$", text)),
            Map.entry("creditcard", CheckDigits::isCard),
            Map.entry("ssn", text -> Patterns.matches("^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$", text)),
            Map.entry("k8sshortname", text -> Names.labelError(text).isEmpty()),
            Map.entry("k8slongname", text -> Names.subdomainError(text).isEmpty()));

    private Formats() {}

    static boolean isKnown(String format) {
        return format.equals("password") || TEXTS.containsKey(normal(format));
    }

    private static String normal(String format) {
        return format.replace("-", "");
    }

    static boolean fits(String format, String text) {
        Predicate<String> check = TEXTS.get(normal(format));
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

    /** A name alone has at most one dash; of several the last is made of letters. */
    private static boolean isHost(String text) {
        String[] labels = text.split("\\.", -1);
        if (text.length() > LONGEST_HOST || Arrays.stream(labels).anyMatch(label -> label.length() > LONGEST_LABEL)) {
            return false;
        }
        if (labels.length == 1) {
            return Patterns.matches("^" + HOST_LETTER + "(-?" + HOST_LETTER + "{0,62})?$", text);
        }
        String last = labels[labels.length - 1];
        return Patterns.matches("^[a-zA-Z\\p{L}]{2,63}$", last)
                && Arrays.stream(labels)
                        .limit(labels.length - 1)
                        .allMatch(label -> Patterns.matches(
                                "^" + HOST_LETTER + "([a-zA-Z0-9\\p{S}\\p{L}-]{0,61}" + HOST_LETTER + ")?$", label));
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
