package io.argosy.client.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Label and field selectors in their text form. */
final class FakeSelectors {
    private static final Pattern SET = Pattern.compile("\\s*(\\S+)\\s+(in|notin)\\s+\\(([^)]*)\\)\\s*");

    private FakeSelectors() {}

    static boolean labels(String selector, ObjectNode tree) {
        JsonNode labels = tree.path("metadata").path("labels");
        if (selector == null || selector.isBlank()) {
            return true;
        }
        for (String term : selector.split(",(?![^(]*\\))", -1)) {
            Matcher set = SET.matcher(term);
            if (set.matches()) {
                List<String> values = List.of(set.group(3).replace(" ", "").split(",", -1));
                JsonNode label = labels.get(set.group(1));
                boolean in = label != null && values.contains(label.asText());
                if (in != set.group(2).equals("in")) {
                    return false;
                }
            } else if (term.contains("=")) {
                if (!equality(term, key -> labels.path(key).asText())) {
                    return false;
                }
            } else {
                boolean absent = term.strip().startsWith("!");
                if (labels.has(term.strip().replace("!", "")) == absent) {
                    return false;
                }
            }
        }
        return true;
    }

    static boolean fields(String selector, ObjectNode tree) {
        if (selector == null || selector.isBlank()) {
            return true;
        }
        for (String term : selector.split(",", -1)) {
            if (!equality(term, path -> tree.at("/" + path.replace('.', '/')).asText())) {
                return false;
            }
        }
        return true;
    }

    private static boolean equality(String term, java.util.function.UnaryOperator<String> read) {
        boolean negated = term.contains("!=");
        String[] sides = term.split("!?==?", 2);
        return read.apply(sides[0].strip()).equals(sides[1].strip()) != negated;
    }
}
