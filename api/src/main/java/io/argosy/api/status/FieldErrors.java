package io.argosy.api.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Collects everything wrong with an object, field by field, in Kubernetes' words; for one thread. */
public final class FieldErrors {
    private static final int DELETE = 0x7f;

    private final List<Cause> causes = new ArrayList<>();

    public void required(String field, String detail) {
        add("FieldValueRequired", detail.isEmpty() ? "Required value" : "Required value: " + detail, field);
    }

    public void invalid(String field, Object value, String detail) {
        String shown = "Invalid value: " + show(value);
        add("FieldValueInvalid", detail.isEmpty() ? shown : shown + ": " + detail, field);
    }

    /** Where the value would be too much to show. */
    public void invalid(String field, String detail) {
        add("FieldValueInvalid", "Invalid value: " + detail, field);
    }

    /** A value of another type than the field has. */
    public void typeInvalid(String field, Object value, String detail) {
        add("FieldValueTypeInvalid", "Invalid value: " + show(value) + ": " + detail, field);
    }

    public void tooMany(String field, int actual, int limit) {
        String items = limit == 1 ? "item" : "items";
        add("FieldValueTooMany", "Too many: " + actual + ": must have at most " + limit + " " + items, field);
    }

    public void notSupported(String field, Object value, Collection<String> supported) {
        List<String> quoted = new ArrayList<>();
        supported.forEach(one -> quoted.add(quote(one)));
        add(
                "FieldValueNotSupported",
                "Unsupported value: " + show(value) + ": supported values: " + String.join(", ", quoted),
                field);
    }

    public void duplicate(String field, Object value) {
        add("FieldValueDuplicate", "Duplicate value: " + show(value), field);
    }

    public void duplicate(String field, Object value, String detail) {
        add("FieldValueDuplicate", "Duplicate value: " + show(value) + ": " + detail, field);
    }

    public void forbidden(String field, String detail) {
        add("FieldValueForbidden", "Forbidden: " + detail, field);
    }

    public void notFound(String field, Object value) {
        add("FieldValueNotFound", "Not found: " + show(value), field);
    }

    public void notFound(String field, Object value, String detail) {
        add("FieldValueNotFound", "Not found: " + show(value) + ": " + detail, field);
    }

    public void tooLong(String field, int limit) {
        add("FieldValueTooLong", "Too long: may not be more than " + limit + " bytes", field);
    }

    public boolean isEmpty() {
        return causes.isEmpty();
    }

    public List<Cause> causes() {
        return List.copyOf(causes);
    }

    /** What somebody else found. */
    public void addAll(Collection<Cause> found) {
        causes.addAll(found);
    }

    private void add(String reason, String message, String field) {
        causes.add(new Cause(reason, message, field));
    }

    private static String show(Object value) {
        return value instanceof String text ? quote(text) : String.valueOf(value);
    }

    /** As Go quotes, so that a value with line breaks or quotes in it stays one value in the message. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ' || c == DELETE) {
                        quoted.append(String.format("\\x%02x", c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }
}
