package io.argosy.server.rest;

import io.argosy.api.json.Json;
import io.argosy.server.authn.ServiceAccountTokens;
import java.util.Map;
import java.util.Optional;

/** What others need to verify our service accounts' tokens without asking us: the issuer's discovery document and its keys. */
public final class IssuerPages {
    private final ServiceAccountTokens tokens;
    private final String advertised;

    public IssuerPages(ServiceAccountTokens tokens, String advertised) {
        this.tokens = tokens;
        this.advertised = advertised;
    }

    Optional<Pages.Page> find(String path) {
        return switch (path) {
            case "/.well-known/openid-configuration" -> Optional.of(Pages.json(tokens.discovery(advertised)));
            case "/openid/v1/jwks" ->
                Optional.of(new Pages.Page(
                        200, Map.of("content-type", "application/jwk-set+json"), Json.encode(tokens.keys())));
            default -> Optional.empty();
        };
    }
}
