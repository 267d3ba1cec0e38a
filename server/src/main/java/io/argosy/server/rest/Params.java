package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import java.util.List;
import java.util.Map;

/** The query parameters of a request. */
public record Params(Map<String, List<String>> values) {
    public static final Params NONE = new Params(Map.of());

    public String text(String name) {
        List<String> found = values.get(name);
        return found == null || found.isEmpty() ? "" : found.getFirst();
    }

    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /** As the API reads booleans in a query: what is there is a yes unless it is a clear no. Some languages write {@code True}. */
    public boolean flag(String name) {
        List<String> found = values.get(name);
        if (found == null || found.isEmpty()) {
            return false;
        }
        String value = found.getFirst();
        return !value.equals("0") && !value.equalsIgnoreCase("false");
    }

    /** A number; the fallback if it is not there. */
    public long number(String name, long fallback) {
        String value = text(name);
        if (value.isEmpty()) {
            return fallback;
        }
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException notANumber) {
            boolean digits = value.matches("[+-]?[0-9]+");
            throw ApiException.badRequest("strconv.ParseInt: parsing \"" + value + "\": "
                    + (digits ? "value out of range" : "invalid syntax"));
        }
    }
}
