package io.argosy.server.authn;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** One kind of bearer tokens. */
public interface BearerTokens {
    /** Who a token proves, and for which of the audiences asked for. */
    record Verified(User user, List<String> audiences) {
        /** Of a token that knows nothing of audiences: it is for this server. */
        public static Verified here(User user, Set<String> audiences) throws InvalidTokenException {
            if (!audiences.contains(ServiceAccountTokens.ISSUER)) {
                throw new InvalidTokenException("the token is not for this audience");
            }
            return new Verified(user, List.of(ServiceAccountTokens.ISSUER));
        }
    }

    /** True if the token looks like one of this kind; that proves nothing. */
    boolean recognizes(String token);

    /** True if somebody else may have to be asked about the token. */
    default boolean mayWait(String token) {
        return false;
    }

    /** Whom the token proves; the audiences are those that the asking party answers to. */
    Verified verify(String token, Set<String> audiences) throws InvalidTokenException;

    /** What is written down of a request that comes with the token, whether it is good or not. */
    default Map<String, String> notes(String token) {
        return Map.of();
    }

    /** What those should know who use a token that was just found good. */
    default List<String> remarks(String token) {
        return List.of();
    }
}
