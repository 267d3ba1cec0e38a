package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** The paths of printer columns, in the dialect of kubectl: fields, indices, slices, wildcards, descent and filters. Immutable. */
final class JsonPath {
    private final List<Step> steps;

    /** One step down: from a value to those it leads to. */
    private interface Step {
        void follow(JsonNode from, List<JsonNode> to);
    }

    private JsonPath(List<Step> steps) {
        this.steps = steps;
    }

    static JsonPath parse(String path) {
        return new JsonPath(new Reader(path).steps());
    }

    /** All values at the path; fields that are not there lead nowhere. */
    List<JsonNode> find(JsonNode object) {
        List<JsonNode> found = List.of(object);
        for (Step step : steps) {
            List<JsonNode> next = new ArrayList<>();
            found.forEach(value -> step.follow(value, next));
            found = next;
        }
        return found;
    }

    private static Step field(String name) {
        return (from, to) -> {
            JsonNode value = from.get(name);
            if (value != null) {
                to.add(value);
            }
        };
    }

    private static void descend(JsonNode from, List<JsonNode> to) {
        to.add(from);
        from.forEach(child -> descend(child, to));
    }

    /** Reads a path from left to right; for one use. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            String inner = text.strip();
            this.text = inner.startsWith("{") && inner.endsWith("}") ? inner.substring(1, inner.length() - 1) : inner;
        }

        List<Step> steps() {
            List<Step> steps = new ArrayList<>();
            if (at < text.length() && (text.charAt(at) == '$' || text.charAt(at) == '@')) {
                at++;
            }
            while (at < text.length()) {
                char next = text.charAt(at);
                if (text.startsWith("..", at)) {
                    at += 2;
                    steps.add(JsonPath::descend);
                    if (at < text.length() && text.charAt(at) != '[') {
                        steps.add(name());
                    }
                } else if (next == '.') {
                    at++;
                    if (at < text.length() && text.charAt(at) != '[') {
                        steps.add(name());
                    }
                } else if (next == '[') {
                    steps.add(bracket());
                } else if (steps.isEmpty()) {
                    steps.add(name());
                } else {
                    throw new IllegalArgumentException("unexpected '" + next + "' in " + text);
                }
            }
            return steps;
        }

        private Step name() {
            StringBuilder name = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '.' && text.charAt(at) != '[') {
                if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                    at++;
                }
                name.append(text.charAt(at++));
            }
            if (name.isEmpty()) {
                throw new IllegalArgumentException("a field has no name in " + text);
            }
            return name.toString().equals("*") ? (from, to) -> from.forEach(to::add) : field(name.toString());
        }

        private Step bracket() {
            int end = closing();
            String inside = text.substring(at + 1, end).strip();
            at = end + 1;
            if (inside.equals("*")) {
                return (from, to) -> from.forEach(to::add);
            }
            if (inside.startsWith("?(") && inside.endsWith(")")) {
                return Filter.parse(inside.substring(2, inside.length() - 1));
            }
            if (inside.length() > 1 && (inside.startsWith("'") || inside.startsWith("\""))) {
                return field(inside.substring(1, inside.length() - 1));
            }
            return slice(inside);
        }

        private int closing() {
            int depth = 0;
            char quote = 0;
            for (int i = at; i < text.length(); i++) {
                char c = text.charAt(i);
                if (quote != 0) {
                    quote = c == quote ? 0 : quote;
                } else if (c == '\'' || c == '"') {
                    quote = c;
                } else if (c == '[') {
                    depth++;
                } else if (c == ']' && --depth == 0) {
                    return i;
                }
            }
            throw new IllegalArgumentException("a bracket is not closed in " + text);
        }

        private static Step slice(String inside) {
            String[] parts = inside.split(":", -1);
            try {
                if (parts.length == 1) {
                    int index = Integer.parseInt(inside);
                    return (from, to) -> {
                        JsonNode value = from.get(index < 0 ? from.size() + index : index);
                        if (value != null) {
                            to.add(value);
                        }
                    };
                }
                Integer first = parts[0].isEmpty() ? null : Integer.valueOf(parts[0]);
                Integer last = parts[1].isEmpty() ? null : Integer.valueOf(parts[1]);
                return (from, to) -> {
                    int size = from.size();
                    int begin = first == null ? 0 : first < 0 ? size + first : first;
                    int end = last == null ? size : last < 0 ? size + last : last;
                    for (int i = Math.max(0, begin); i < Math.min(size, end); i++) {
                        to.add(from.get(i));
                    }
                };
            } catch (NumberFormatException wrong) {
                throw new IllegalArgumentException("not an index: " + inside, wrong);
            }
        }
    }

    /** Keeps the elements of which a comparison is true. */
    private record Filter(Operand left, String operator, Operand right) implements Step {
        private static final List<String> OPERATORS = List.of("==", "!=", "<=", ">=", "<", ">");

        /** A path below the element, or a value; the other one is null. */
        private record Operand(JsonPath path, String value) {
            static Operand parse(String text) {
                String trimmed = text.strip();
                if (trimmed.startsWith("@") || trimmed.startsWith("$")) {
                    return new Operand(JsonPath.parse(trimmed), null);
                }
                boolean quoted = trimmed.length() > 1 && (trimmed.startsWith("'") || trimmed.startsWith("\""));
                return new Operand(null, quoted ? trimmed.substring(1, trimmed.length() - 1) : trimmed);
            }

            String of(JsonNode element) {
                if (path == null) {
                    return value;
                }
                List<JsonNode> found = path.find(element);
                return found.isEmpty() ? null : found.getFirst().asText();
            }
        }

        static Filter parse(String text) {
            for (String operator : OPERATORS) {
                int at = text.indexOf(operator);
                if (at >= 0) {
                    return new Filter(
                            Operand.parse(text.substring(0, at)),
                            operator,
                            Operand.parse(text.substring(at + operator.length())));
                }
            }
            return new Filter(Operand.parse(text), "", null);
        }

        @Override
        public void follow(JsonNode from, List<JsonNode> to) {
            for (JsonNode element : from) {
                if (holds(element)) {
                    to.add(element);
                }
            }
        }

        private boolean holds(JsonNode element) {
            String one = left.of(element);
            if (right == null) {
                return one != null;
            }
            String other = right.of(element);
            if (one == null || other == null) {
                return false;
            }
            int order = compare(one, other);
            return switch (operator) {
                case "==" -> order == 0;
                case "!=" -> order != 0;
                case "<=" -> order <= 0;
                case ">=" -> order >= 0;
                case "<" -> order < 0;
                default -> order > 0;
            };
        }

        private static int compare(String one, String other) {
            try {
                return new BigDecimal(one).compareTo(new BigDecimal(other));
            } catch (NumberFormatException text) {
                return one.compareTo(other);
            }
        }
    }
}
