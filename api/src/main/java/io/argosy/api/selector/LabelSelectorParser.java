package io.argosy.api.selector;

import io.argosy.api.names.Names;
import io.argosy.api.selector.LabelSelector.Operator;
import io.argosy.api.selector.LabelSelector.Requirement;
import io.argosy.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Reads the text form of a label selector, one clause after the other. */
final class LabelSelectorParser {
    private final String text;
    private int position;

    LabelSelectorParser(String text) {
        this.text = text;
    }

    List<Requirement> parse() {
        List<Requirement> requirements = new ArrayList<>();
        do {
            requirements.add(requirement());
        } while (take(","));
        skipBlanks();
        if (position < text.length()) {
            throw unparsable("found '" + text.charAt(position) + "', expected: ',' or end of string");
        }
        return requirements;
    }

    private Requirement requirement() {
        boolean absent = take("!");
        String key = word();
        if (key.isEmpty()) {
            throw unparsable("found '" + rest() + "', expected: !, identifier, or end of string");
        }
        Names.qualifiedNameError(key).ifPresent(error -> {
            throw unparsable("key: Invalid value: \"" + key + "\": " + error);
        });
        if (absent) {
            return new Requirement(key, Operator.DOES_NOT_EXIST, Set.of());
        }
        skipBlanks();
        if (position == text.length() || text.charAt(position) == ',') {
            return new Requirement(key, Operator.EXISTS, Set.of());
        }
        if (take("==") || (!text.startsWith("==", position) && take("="))) {
            return new Requirement(key, Operator.IN, Set.of(value(word())));
        }
        if (take("!=")) {
            return new Requirement(key, Operator.NOT_IN, Set.of(value(word())));
        }
        if (take(">")) {
            return new Requirement(key, Operator.GREATER, Set.of(number(word())));
        }
        if (take("<")) {
            return new Requirement(key, Operator.LESS, Set.of(number(word())));
        }
        String operator = word();
        return switch (operator) {
            case "in" -> new Requirement(key, Operator.IN, values());
            case "notin" -> new Requirement(key, Operator.NOT_IN, values());
            default -> throw unparsable("found '" + operator + "', expected: in, notin, =, ==, !=, >, <");
        };
    }

    private Set<String> values() {
        if (!take("(")) {
            throw unparsable("found '" + rest() + "' expected: '('");
        }
        Set<String> values = new TreeSet<>();
        do {
            values.add(value(word()));
        } while (take(","));
        if (!take(")")) {
            throw unparsable("found '" + rest() + "', expected: ',' or ')'");
        }
        return values;
    }

    private String value(String value) {
        Names.labelValueError(value).ifPresent(error -> {
            throw unparsable("values[0]: Invalid value: \"" + value + "\": " + error);
        });
        return value;
    }

    private String number(String value) {
        try {
            return Long.toString(Long.parseLong(value));
        } catch (NumberFormatException notANumber) {
            throw unparsable("values[0]: Invalid value: \"" + value
                    + "\": for 'Gt', 'Lt' operators, the value must be an integer");
        }
    }

    private String word() {
        skipBlanks();
        int start = position;
        while (position < text.length() && " \t,!=<>()".indexOf(text.charAt(position)) < 0) {
            position++;
        }
        return text.substring(start, position);
    }

    private boolean take(String token) {
        skipBlanks();
        if (!text.startsWith(token, position)) {
            return false;
        }
        position += token.length();
        return true;
    }

    private void skipBlanks() {
        while (position < text.length() && (text.charAt(position) == ' ' || text.charAt(position) == '\t')) {
            position++;
        }
    }

    private String rest() {
        return text.substring(position);
    }

    private ApiException unparsable(String why) {
        return ApiException.badRequest("unable to parse requirement: " + why);
    }
}
