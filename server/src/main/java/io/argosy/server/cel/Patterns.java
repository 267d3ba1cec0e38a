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
        return COMPILED.computeIfAbsent(pattern, Patterns::compile);
    }

    /** Repetitions within repetitions would make a program of any size out of a few letters; Go's limit is one for all of them together. */
    private static Pattern compile(String pattern) {
        if (Repetition.of(pattern) > Repetition.MOST) {
            throw new PatternSyntaxException("invalid repeat count", pattern);
        }
        return Pattern.compile(pattern);
    }

    /** What is wrong with a pattern; empty if nothing is. */
    public static Optional<String> error(String pattern) {
        try {
            compile(pattern);
            return Optional.empty();
        } catch (PatternSyntaxException wrong) {
            return Optional.of("error parsing regexp: " + wrong.getDescription() + ": `" + wrong.getPattern() + "`");
        }
    }
}
