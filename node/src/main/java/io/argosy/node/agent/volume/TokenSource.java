package io.argosy.node.agent.volume;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where service account tokens for pods come from: the API server's TokenRequest, bound to the pod. */
@FunctionalInterface
public interface TokenSource {
    /** Nobody gives tokens: pods that ask for one go without. */
    TokenSource NONE = request -> Optional.empty();

    Optional<Token> token(Request request);

    /** For whom the token is to be; an empty list of audiences means the API server. */
    record Request(
            String namespace,
            String serviceAccount,
            List<String> audiences,
            long expirationSeconds,
            String podName,
            String podUid) {}

    /** A signed token and the end of its life. */
    record Token(String value, Instant expiresAt) {
        @Override
        public String toString() {
            return "Token[****, " + expiresAt + "]";
        }
    }
}
