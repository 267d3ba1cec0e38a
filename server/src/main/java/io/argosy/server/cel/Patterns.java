package io.argosy.server.cel;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;

/** Regular expressions of schemas and rules, in the dialect of Kubernetes, which takes time in proportion to the text whatever the pattern is. */
public final class Patterns {
    /** Patterns come with objects as well as with schemas: so many letters of them are kept compiled. */
    private static final double KEPT_LETTERS = 1_000_000;

    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();
    private static final DoubleAdder LETTERS = new DoubleAdder();

    private Patterns() {}

    /** True if the pattern is found anywhere in the text; one that cannot be read, as old schemas may have, is found nowhere. */
    public static boolean matches(String pattern, String text) {
        try {
            return compiled(pattern).matcher(text).find();
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** An argument exception for one that cannot be read. */
    public static Pattern compiled(String pattern) {
        Pattern known = COMPILED.get(pattern);
        if (known == null) {
            try {
                known = compile(pattern);
            } catch (PatternSyntaxException unreadable) {
                throw new IllegalArgumentException(words(unreadable), unreadable);
            }
            LETTERS.add(Repetition.letters(pattern));
            if (LETTERS.sum() > KEPT_LETTERS) {
                COMPILED.clear();
                LETTERS.reset();
            }
            COMPILED.put(pattern, known);
        }
        return known;
    }

    /** Repetitions within repetitions would make a program of any size out of a few letters; Go has limits for that. */
    private static Pattern compile(String pattern) {
        Repetition.excess(pattern).ifPresent(error -> {
            throw new PatternSyntaxException(error, pattern);
        });
        return Pattern.compile(pattern);
    }

    /** What is wrong with a pattern; empty if nothing is. */
    public static Optional<String> error(String pattern) {
        try {
            compile(pattern);
            return Optional.empty();
        } catch (PatternSyntaxException wrong) {
            return Optional.of(words(wrong));
        }
    }

    private static String words(PatternSyntaxException wrong) {
        return "error parsing regexp: " + wrong.getDescription() + ": `" + wrong.getPattern() + "`";
    }
}
