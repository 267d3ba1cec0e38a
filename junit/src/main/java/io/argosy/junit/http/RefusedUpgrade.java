package io.argosy.junit.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.http.HttpReply;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import io.fabric8.kubernetes.client.http.WebSocketUpgradeResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The answer to a WebSocket's handshake: there is no connection in one process that could change its protocol, so it is always a refusal. */
final class RefusedUpgrade implements HttpReply {
    private final HttpRequest request;
    private final CompletableFuture<WebSocketResponse> response = new CompletableFuture<>();

    RefusedUpgrade(HttpRequest request) {
        this.request = request;
    }

    static ApiException noConnection() {
        return ApiException.badRequest(
                "a client in the cluster's own process has no connection that could be handed over: watch over HTTP; nothing runs in a simulated pod");
    }

    CompletableFuture<WebSocketResponse> response() {
        return response;
    }

    void fail(IOException why) {
        response.completeExceptionally(why);
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        pieces.forEach(body::writeBytes);
        refuse(status, Json.decodeObject(body.toByteArray()));
    }

    @Override
    public Stream stream(int status, Map<String, String> headers) {
        throw noConnection();
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        throw noConnection();
    }

    /** As fabric8's clients tell of a failed handshake, with the server's words as its cause. */
    private void refuse(int code, ObjectNode status) {
        WebSocketUpgradeResponse answer = new WebSocketUpgradeResponse(request, code);
        WebSocketHandshakeException failure = new WebSocketHandshakeException(answer);
        failure.initCause(new KubernetesClientException(
                status.path("message").asText(),
                code,
                new StatusBuilder()
                        .withCode(code)
                        .withReason(status.path("reason").asText())
                        .withMessage(status.path("message").asText())
                        .build()));
        response.complete(new WebSocketResponse(answer, failure));
    }
}
