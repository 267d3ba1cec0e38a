package io.argosy.server.authn;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All kinds of bearer tokens that this server knows; the first that verifies one says who it is. */
public record AllTokens(List<BearerTokens> kinds) implements BearerTokens {
    @Override
    public boolean recognizes(String token) {
        return kinds.stream().anyMatch(kind -> kind.recognizes(token));
    }

    @Override
    public boolean mayWait(String token) {
        return kinds.stream().anyMatch(kind -> kind.mayWait(token));
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        InvalidTokenException refusal = null;
        for (BearerTokens kind : kinds) {
            if (kind.recognizes(token)) {
                try {
                    return kind.verify(token, audiences);
                } catch (InvalidTokenException refused) {
                    refusal = refused;
                }
            }
        }
        throw refusal == null ? new InvalidTokenException("the token is of no kind that is known here") : refusal;
    }

    @Override
    public Map<String, String> notes(String token) {
        Map<String, String> notes = new HashMap<>();
        kinds.forEach(kind -> notes.putAll(kind.notes(token)));
        return notes;
    }

    @Override
    public List<String> remarks(String token) {
        for (BearerTokens kind : kinds) {
            List<String> remarks = kind.remarks(token);
            if (!remarks.isEmpty()) {
                return remarks;
            }
        }
        return List.of();
    }
}
