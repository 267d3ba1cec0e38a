package io.argosy.node.agent.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Tokens from the API server's {@code serviceaccounts/token}. */
public final class RequestedTokens implements TokenSource {
    private final ApiTransport transport;

    public RequestedTokens(ApiTransport transport) {
        this.transport = transport;
    }

    @Override
    public Optional<Token> token(Request request) {
        ObjectNode body =
                Json.object().put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
        ObjectNode spec = body.putObject("spec").put("expirationSeconds", request.expirationSeconds());
        ArrayNode audiences = spec.putArray("audiences");
        request.audiences().forEach(audiences::add);
        spec.putObject("boundObjectRef")
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", request.podName())
                .put("uid", request.podUid());
        try {
            ApiTransport.Response answer = transport.send(new ApiTransport.Request(
                    ApiTransport.Verb.CREATE,
                    new GroupVersion("", "v1"),
                    "serviceaccounts",
                    request.namespace(),
                    request.serviceAccount(),
                    "token",
                    Map.of(),
                    "application/json",
                    Json.encode(body)));
            JsonNode status = Json.decodeObject(answer.body()).path("status");
            String token = status.path("token").asText();
            if (token.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(new Token(
                    token, Instant.parse(status.path("expirationTimestamp").asText())));
        } catch (ApiException e) {
            throw new VolumeException("failed to fetch token: " + e.getMessage(), e);
        }
    }
}
