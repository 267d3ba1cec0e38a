package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.List;
import java.util.Map;

/** The query parameters of a request. */
public record Params(Map<String, List<String>> values) {
    public static final Params NONE = new Params(Map.of());

    private static final List<String> FIELD_VALIDATIONS = List.of("Ignore", "Strict", "Warn");

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

    public boolean dryRun() {
        for (String value : all("dryRun")) {
            if (!value.isEmpty() && !value.equals("All")) {
                throw unsupported("dryRun", value, List.of("All"));
            }
        }
        return !text("dryRun").isEmpty();
    }

    /** Ignore, Warn or Strict; empty if the client left it open. */
    public String fieldValidation() {
        String value = text("fieldValidation");
        if (!value.isEmpty() && !FIELD_VALIDATIONS.contains(value)) {
            throw unsupported("fieldValidation", value, FIELD_VALIDATIONS);
        }
        return value;
    }

    private static ApiException unsupported(String field, String value, List<String> supported) {
        FieldErrors errors = new FieldErrors();
        errors.notSupported(field, value, supported);
        return ApiException.invalid("meta.k8s.io", "WriteOptions", "", errors.causes());
    }
}
