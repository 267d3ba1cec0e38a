package io.argosy.server.podsecurity;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a pod may do, and since which version of the rules.
 *
 * @param minor the minor version whose rules hold; {@link #LATEST} for the newest
 */
record Level(Kind kind, int minor) {
    /** Later than every version there is. */
    static final int LATEST = Integer.MAX_VALUE - 1;

    /** Later than that. */
    static final int NEVER = Integer.MAX_VALUE;

    /** Everything is allowed. */
    static final Level UNBOUND = new Level(Kind.PRIVILEGED, LATEST);

    private static final Pattern VERSION = Pattern.compile("v1\\.(0|[1-9][0-9]{0,4})");

    /** From all to little. */
    enum Kind {
        PRIVILEGED,
        BASELINE,
        RESTRICTED;

        static Optional<Kind> of(String text) {
            for (Kind kind : values()) {
                if (kind.toString().equals(text)) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The minor version that a label names; empty if it names none. */
    static Optional<Integer> version(String text) {
        if (text.equals("latest")) {
            return Optional.of(LATEST);
        }
        Matcher version = VERSION.matcher(text);
        return version.matches() ? Optional.of(Integer.parseInt(version.group(1))) : Optional.empty();
    }

    boolean isPrivileged() {
        return kind == Kind.PRIVILEGED;
    }

    @Override
    public String toString() {
        return kind + ":" + (minor == LATEST ? "latest" : "v1." + minor);
    }
}
