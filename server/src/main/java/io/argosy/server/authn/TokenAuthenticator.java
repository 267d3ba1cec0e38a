package io.argosy.server.authn;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bearer tokens of service accounts, for whoever the connection itself does not identify. */
public final class TokenAuthenticator implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(TokenAuthenticator.class);
    private static final String SCHEME = "Bearer ";
    private static final Set<String> OWN_AUDIENCE = Set.of(ServiceAccountTokens.ISSUER);

    private final Authenticator connection;
    private final ServiceAccountTokens tokens;

    public TokenAuthenticator(Authenticator connection, ServiceAccountTokens tokens) {
        this.connection = connection;
        this.tokens = tokens;
    }

    @Override
    public User authenticate(Channel channel, HttpHeaders headers) {
        User known = connection.authenticate(channel, headers);
        String header = headers.get(HttpHeaderNames.AUTHORIZATION);
        if (header == null || !known.isAnonymous()) {
            return known;
        }
        String token = header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? header.substring(SCHEME.length()).strip()
                : "";
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
}
