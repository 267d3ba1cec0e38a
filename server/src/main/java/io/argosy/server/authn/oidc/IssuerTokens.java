package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.authn.Jwt;
import io.argosy.server.authn.oidc.AuthenticationConfig.Issuer;
import java.time.Duration;
import java.util.Set;

/** Tokens that an issuer elsewhere signed for this cluster, in the manner of OpenID Connect. */
public final class IssuerTokens implements BearerTokens {
    /** How far the issuer's clock may be ahead of ours. */
    private static final Duration LEEWAY = Duration.ofMinutes(5);

    private final Issuer issuer;
    private final IssuerKeys keys;
    private final Clock clock;

    public IssuerTokens(Issuer issuer, Clock clock) {
        this.issuer = issuer;
        this.clock = clock;
        this.keys = new IssuerKeys(issuer, clock);
    }

    @Override
    public boolean recognizes(String token) {
        return Jwt.issuerOf(token).equals(issuer.url());
    }

    @Override
    public boolean mayWait(String token) {
        return recognizes(token);
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        Jwt jwt = Jwt.parse(token);
        keys.verify(jwt);
        JsonNode claims = jwt.claims();
        if (!claims.path("iss").asText().equals(issuer.url())) {
            throw new InvalidTokenException("the token is of another issuer");
        }
        if (!isForUs(claims.path("aud"))) {
            throw new InvalidTokenException("the token is not for this audience");
        }
        checkTimes(claims);
        return Verified.here(issuer.rules().user(claims), audiences);
    }

    private boolean isForUs(JsonNode audience) {
        if (audience.isTextual()) {
            return issuer.audiences().contains(audience.asText());
        }
        for (JsonNode one : audience) {
            if (issuer.audiences().contains(one.asText())) {
                return true;
            }
        }
        return false;
    }

    private void checkTimes(JsonNode claims) throws InvalidTokenException {
        long now = clock.now().getEpochSecond();
        if (!claims.path("exp").isNumber() || now >= claims.path("exp").asLong()) {
            throw new InvalidTokenException("the token has expired");
        }
        if (now + LEEWAY.toSeconds() < claims.path("nbf").asLong()) {
            throw new InvalidTokenException("the token is not valid yet");
        }
    }
}
