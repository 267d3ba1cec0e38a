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

    public boolean flag(String name) {
        String value = text(name);
        return value.equals("true") || value.equals("1");
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
            throw ApiException.badRequest(
                    "invalid value \"" + value + "\" for parameter " + name + ": must be a number");
        }
    }

    public boolean dryRun() {
        String value = text("dryRun");
        if (!value.isEmpty() && !value.equals("All")) {
            throw ApiException.badRequest("dryRun: Unsupported value: \"" + value + "\": supported values: \"All\"");
        }
        return !value.isEmpty();
    }
}
