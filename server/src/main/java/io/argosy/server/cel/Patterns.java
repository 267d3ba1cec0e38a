package io.argosy.server.cel;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Regular expressions of schemas and rules, in the dialect of Kubernetes, which takes time in proportion to the text whatever the pattern is. */
public final class Patterns {
    private static final int KEPT = 4096;
    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();

    private Patterns() {}

    /** True if the pattern is found anywhere in the text; one that cannot be read, as old schemas may have, is found nowhere. */
    public static boolean matches(String pattern, String text) {
        try {
            return compiled(pattern).matcher(text).find();
        } catch (PatternSyntaxException unreadable) {
            return false;
        }
    }

    public static Pattern compiled(String pattern) {
        if (COMPILED.size() > KEPT) {
            COMPILED.clear();
        }
        return COMPILED.computeIfAbsent(pattern, Pattern::compile);
    }

    /** What is wrong with a pattern; empty if nothing is. */
    public static Optional<String> error(String pattern) {
        try {
            Pattern.compile(pattern);
            return Optional.empty();
        } catch (PatternSyntaxException wrong) {
            return Optional.of("error parsing regexp: " + wrong.getDescription() + ": `" + wrong.getPattern() + "`");
        }
    }
}
