package io.argosy.server.aggregation;

import io.argosy.server.authn.User;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What another API server is asked by this one.
 *
 * @param checked whether its certificate must be the right one; a look at its health tells nobody anything
 * @param maxLength how long an answer is read to its end
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
record Question(
        String method, String target, Map<String, String> headers, byte[] body, boolean checked, int maxLength) {
    /** Whoever looks after the servers may see everything there. */
    static final User ASKER = new User("system:kube-aggregator", List.of(User.MASTERS));

    static final Duration QUICK = Duration.ofSeconds(5);
    private static final int MAX_ANSWER = 32 << 20;

    static Question get(String target, String accept) {
        return new Question("GET", target, Map.of("accept", accept), new byte[0], false, MAX_ANSWER);
    }

    static Question of(String method, String target, String contentType, byte[] body) {
        Map<String, String> headers = new HashMap<>(Map.of("accept", "application/json"));
        if (!contentType.isEmpty()) {
            headers.put("content-type", contentType);
        }
        return new Question(method, target, headers, body, true, MAX_ANSWER);
    }

    /** The same, with an answer only if it is another than the one of that tag. */
    Question unless(String etag) {
        if (etag.isEmpty()) {
            return this;
        }
        Map<String, String> more = new HashMap<>(headers);
        more.put("if-none-match", etag);
        return new Question(method, target, more, body, checked, maxLength);
    }
}
