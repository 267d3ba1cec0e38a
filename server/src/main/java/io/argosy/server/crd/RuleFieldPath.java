package io.argosy.server.crd;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The field below its own place that a rule complains about: {@code .a.b} or {@code ['a']['b']}, through objects and maps but not lists. */
final class RuleFieldPath {
    private static final Pattern STEP = Pattern.compile("\\.([^.\\[\\]]+)|\\['((?:[^'\\\\]|\\\\['\\\\])*)'\\]");

    private RuleFieldPath() {}

    /** The path as errors show it; empty where it leads to nothing. */
    static Optional<String> shown(String path, StructuralSchema schema) {
        StringBuilder shown = new StringBuilder();
        StructuralSchema at = schema;
        Matcher steps = STEP.matcher(path);
        int end = 0;
        while (end < path.length()) {
            if (!steps.find(end) || steps.start() != end) {
                return Optional.empty();
            }
            String name = steps.group(1) != null ? steps.group(1) : unescaped(steps.group(2));
            boolean named = !at.properties().isEmpty();
            at = named ? at.properties().get(name) : at.additional();
            if (at == null) {
                return Optional.empty();
            }
            shown.append(named ? (shown.isEmpty() ? "" : ".") + name : "[" + name + "]");
            end = steps.end();
        }
        return shown.isEmpty() ? Optional.empty() : Optional.of(shown.toString());
    }

    private static String unescaped(String quoted) {
        return quoted.replace("\\'", "'").replace("\\\\", "\\");
    }
}
