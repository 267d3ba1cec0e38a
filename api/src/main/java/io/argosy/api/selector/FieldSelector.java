package io.argosy.api.selector;

import io.argosy.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A condition on the few fields a kind lets clients select by, as the {@code fieldSelector} parameter writes it. */
public record FieldSelector(List<Term> terms) {
    public static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    /** One comparison; an absent field counts as the empty string. */
    public record Term(String field, String value, boolean equal) {}

    public boolean isEverything() {
        return terms.isEmpty();
    }

    public boolean matches(Map<String, String> fields) {
        for (Term term : terms) {
            if (fields.getOrDefault(term.field(), "").equals(term.value()) != term.equal()) {
                return false;
            }
        }
        return true;
    }

    /** Parses {@code a=b,c!=d}; backslash escapes a comma, an equals sign or itself. */
    public static FieldSelector parse(String text) {
        if (text == null || text.isEmpty()) {
            return EVERYTHING;
        }
        List<Term> terms = new ArrayList<>();
        for (String clause : split(text)) {
            if (!clause.isEmpty()) {
                terms.add(term(clause));
            }
        }
        return new FieldSelector(terms);
    }

    private static Term term(String clause) {
        for (int i = 0; i < clause.length(); i++) {
            char c = clause.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '!' && clause.startsWith("!=", i)) {
                return new Term(clause.substring(0, i), unescape(clause.substring(i + 2)), false);
            } else if (c == '=') {
                int length = clause.startsWith("==", i) ? 2 : 1;
                return new Term(clause.substring(0, i), unescape(clause.substring(i + length)), true);
            }
        }
        throw ApiException.badRequest("invalid selector: '" + clause + "'; can't understand '" + clause + "'");
    }

    private static List<String> split(String text) {
        List<String> clauses = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == ',') {
                clauses.add(text.substring(start, i));
                start = i + 1;
            }
        }
        clauses.add(text.substring(start));
        return clauses;
    }

    private static String unescape(String value) {
        if (value.indexOf('\\') < 0) {
            return value;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) == '\\' && i + 1 < value.length()) {
                i++;
            }
            plain.append(value.charAt(i));
        }
        return plain.toString();
    }
}
