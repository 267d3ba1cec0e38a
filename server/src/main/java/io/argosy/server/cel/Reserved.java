package io.argosy.server.cel;

import java.util.Set;

/** Words that cannot be the name of anything in an expression: literals, operators, and what CEL keeps for later. */
public final class Reserved {
    private static final Set<String> WORDS = Set.of(
            "true",
            "false",
            "null",
            "in",
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while");

    private Reserved() {}

    public static boolean is(String name) {
        return WORDS.contains(name);
    }
}
