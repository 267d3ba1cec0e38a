package io.argosy.server.aggregation;

import io.argosy.server.authn.User;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

/** Says in headers on whose behalf a request is passed on. */
final class Identity {
    private static final String EXTRA = "X-Remote-Extra-";

    /** Beside letters and digits, what the name of a header may consist of; but not the percent sign, which begins an escape. */
    private static final String PLAIN = "!#$&'*+-.^_`|~";

    private Identity() {}

    static void write(User user, HttpHeaders headers) {
        headers.set("X-Remote-User", user.name());
        if (!user.uid().isEmpty()) {
            headers.set("X-Remote-Uid", user.uid());
        }
        if (!user.groups().isEmpty()) {
            headers.set("X-Remote-Group", user.groups());
        }
        user.extra().forEach((key, values) -> headers.set(EXTRA + escaped(key), values));
    }

    static String escaped(String key) {
        StringBuilder text = new StringBuilder();
        for (byte one : key.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (one & 0xff);
            boolean plain = letter < 0x80 && (Character.isLetterOrDigit(letter) || PLAIN.indexOf(letter) >= 0);
            text.append(plain ? String.valueOf(letter) : String.format("%%%02X", (int) letter));
        }
        return text.toString();
    }
}
