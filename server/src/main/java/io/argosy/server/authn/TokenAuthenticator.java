package io.argosy.server.authn;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bearer tokens, for whoever the connection itself does not identify. */
public final class TokenAuthenticator implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(TokenAuthenticator.class);
    private static final String SCHEME = "Bearer ";
    private static final Set<String> OWN_AUDIENCE = Set.of(ServiceAccountTokens.ISSUER);

    private final Authenticator connection;
    private final BearerTokens tokens;

    public TokenAuthenticator(Authenticator connection, BearerTokens tokens) {
        this.connection = connection;
        this.tokens = tokens;
    }

    @Override
    public boolean mayWait(Channel channel, HttpHeaders headers) {
        String token = token(headers);
        return !token.isEmpty() && tokens.mayWait(token);
    }

    @Override
    public User authenticate(Channel channel, HttpHeaders headers) {
        User known = connection.authenticate(channel, headers);
        String token = known.isAnonymous() ? token(headers) : "";
        if (token.isEmpty()) {
            return known;
        }
        try {
            return tokens.verify(token, OWN_AUDIENCE).user();
        } catch (InvalidTokenException refused) {
            LOG.debug("token refused: {}", refused.getMessage());
            throw new ApiException(Reason.Unauthorized, "Unauthorized");
        }
    }

    @Override
    public List<String> remarks(HttpHeaders headers, User user) {
        return user.name().startsWith(ServiceAccountTokens.USER_PREFIX) ? tokens.remarks(token(headers)) : List.of();
    }

    /** The token that the request brings; empty if it brings none. */
    public static String token(HttpHeaders headers) {
        String header = headers.get(HttpHeaderNames.AUTHORIZATION);
        return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? header.substring(SCHEME.length()).strip()
                : "";
    }
}
