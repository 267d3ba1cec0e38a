package io.argosy.server.http;

import java.util.ArrayList;
import java.util.List;

/** Warnings as headers carry them: quoted, in plain ASCII whatever a client put into its field names, and not too many. */
final class WarningHeaders {
    private static final int LONGEST = 256;
    private static final int ALTOGETHER = 4096;

    private WarningHeaders() {}

    /** All of it where it is not much; otherwise the beginnings, as far as there is room. */
    static List<String> of(List<String> warnings) {
        int length = warnings.stream().mapToInt(String::length).sum();
        int longest = length > ALTOGETHER ? LONGEST : ALTOGETHER;
        List<String> headers = new ArrayList<>();
        int written = 0;
        for (String warning : warnings) {
            if (written >= ALTOGETHER) {
                break;
            }
            String shown = warning.substring(0, Math.min(warning.length(), longest));
            written += shown.length();
            headers.add("299 - \"" + quoted(shown) + "\"");
        }
        return headers;
    }

    private static String quoted(String warning) {
        StringBuilder quoted = new StringBuilder();
        for (int i = 0; i < warning.length(); i++) {
            char c = warning.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else {
                quoted.append(c < ' ' || c > '~' ? '?' : c);
            }
        }
        return quoted.toString();
    }
}
