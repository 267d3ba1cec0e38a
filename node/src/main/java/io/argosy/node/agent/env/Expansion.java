package io.argosy.node.agent.env;

import java.util.function.Function;

/** Replaces {@code $(NAME)} in command lines and values; {@code $$} stands for one dollar, an unknown name stays as it is. */
public final class Expansion {
    private Expansion() {}

    /** The lookup answers null for a name it does not know. */
    public static String expand(String text, Function<String, String> lookup) {
        StringBuilder out = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '$' || at + 1 == text.length()) {
                out.append(c);
                at++;
                continue;
            }
            char next = text.charAt(at + 1);
            int close = next == '(' ? text.indexOf(')', at + 2) : -1;
            if (next == '$') {
                out.append('$');
                at += 2;
            } else if (close > 0) {
                String name = text.substring(at + 2, close);
                String value = lookup.apply(name);
                out.append(value == null ? "$(" + name + ")" : value);
                at = close + 1;
            } else {
                out.append(c).append(next);
                at += 2;
            }
        }
        return out.toString();
    }
}
