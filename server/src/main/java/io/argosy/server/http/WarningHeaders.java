package io.argosy.server.http;

import java.util.ArrayList;
import java.util.List;

/** Warnings as headers carry them: quoted, in plain ASCII whatever a client put into its field names, and not too many. */
final class WarningHeaders {
    private static final int LONGEST = 256;
    private static final int ALTOGETHER = 4096;

    private WarningHeaders() {}

    static List<String> of(List<String> warnings) {
        List<String> headers = new ArrayList<>();
        int length = 0;
        for (String warning : warnings) {
            String header = "299 - \"" + quoted(warning) + "\"";
            length += header.length();
            if (length > ALTOGETHER) {
                break;
            }
            headers.add(header);
        }
        return headers;
    }

    private static String quoted(String warning) {
        StringBuilder quoted = new StringBuilder();
        for (int i = 0; i < warning.length() && quoted.length() < LONGEST; i++) {
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
