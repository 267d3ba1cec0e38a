package io.argosy.server.cel;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** The {@code format} of strings in rules: clauses such as {@code %s}, {@code %d} and {@code %.2f}. */
final class TextFormat {
    private TextFormat() {}

    static String format(String pattern, List<?> arguments) {
        StringBuilder text = new StringBuilder();
        int next = 0;
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at++);
            if (c != '%') {
                text.append(c);
                continue;
            }
            int precision = 6;
            int start = at;
            while (at < pattern.length() && (pattern.charAt(at) == '.' || Character.isDigit(pattern.charAt(at)))) {
                at++;
            }
            if (at > start + 1) {
                precision = Integer.parseInt(pattern.substring(start + 1, Math.min(at, start + 4)));
            }
            if (at >= pattern.length()) {
                throw new IllegalArgumentException("unexpected end of format string");
            }
            char clause = pattern.charAt(at++);
            if (clause == '%') {
                text.append('%');
                continue;
            }
            if (next >= arguments.size()) {
                throw new IllegalArgumentException("index " + next + " out of range");
            }
            text.append(clause(clause, precision, arguments.get(next++)));
        }
        return text.toString();
    }

    private static String clause(char clause, int precision, Object value) {
        return switch (clause) {
            case 's', 'd' -> show(value);
            case 'f' ->
                decimal(value).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
            case 'e' -> String.format(Locale.ROOT, "%." + precision + "e", decimal(value));
            case 'b' -> value instanceof Boolean truth ? (truth ? "1" : "0") : Long.toBinaryString(whole(value));
            case 'o' -> Long.toOctalString(whole(value));
            case 'x' -> hexadecimal(value);
            case 'X' -> hexadecimal(value).toUpperCase(Locale.ROOT);
            default ->
                throw new IllegalArgumentException(
                        "could not parse formatting clause: unrecognized formatting clause \"" + clause + "\"");
        };
    }

    private static String hexadecimal(Object value) {
        if (value instanceof String text) {
            StringBuilder digits = new StringBuilder();
            for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
                digits.append(String.format(Locale.ROOT, "%02x", b));
            }
            return digits.toString();
        }
        return Long.toHexString(whole(value));
    }

    private static BigDecimal decimal(Object value) {
        if (value instanceof Number number) {
            return new BigDecimal(number.toString());
        }
        throw new IllegalArgumentException("not a number: " + value);
    }

    private static long whole(Object value) {
        if (value instanceof Long number) {
            return number;
        }
        throw new IllegalArgumentException("not an integer: " + value);
    }

    private static String show(Object value) {
        if (value instanceof List<?> list) {
            StringJoiner all = new StringJoiner(", ", "[", "]");
            list.forEach(one -> all.add(show(one)));
            return all.toString();
        }
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString(number.longValue());
        }
        return String.valueOf(value);
    }
}
