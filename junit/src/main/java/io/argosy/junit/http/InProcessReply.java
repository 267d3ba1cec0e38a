package io.argosy.junit.http;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.http.HttpReply;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpHeaders;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The server's answer on its way to fabric8: a whole one, or a stream. */
final class InProcessReply implements HttpReply {
    private final HttpRequest request;
    private final DemandedBody body;
    private final CompletableFuture<HttpResponse<AsyncBody>> response = new CompletableFuture<>();
    private volatile Map<String, String> more = Map.of();
    private volatile List<String> warned = List.of();

    InProcessReply(HttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        this.request = request;
        this.body = new DemandedBody(consumer);
    }

    CompletableFuture<HttpResponse<AsyncBody>> response() {
        return response;
    }

    void fail(Exception why) {
        response.completeExceptionally(why);
        body.end(why);
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        pieces.forEach(piece -> body.add(ByteBuffer.wrap(piece)));
        body.end(null);
        begin(status, headers, status < HttpURLConnection.HTTP_BAD_REQUEST ? warnings : warned);
    }

    @Override
    public void warn(List<String> warnings) {
        warned = List.copyOf(warnings);
    }

    @Override
    public void with(Map<String, String> headers) {
        more = headers;
    }

    @Override
    public Stream stream(int status, Map<String, String> headers) {
        begin(status, headers, List.of());
        return stream();
    }

    @Override
    public void onGone(Runnable action) {
        body.onCancel(action);
    }

    private Stream stream() {
        return new Stream() {
            @Override
            public boolean write(byte[]... pieces) {
                Arrays.stream(pieces).forEach(piece -> body.add(ByteBuffer.wrap(piece)));
                return !body.isCancelled();
            }

            @Override
            public void onGone(Runnable action) {
                body.onCancel(action);
            }

            @Override
            public void abort() {
                body.end(new IOException("the answer broke off"));
            }

            @Override
            public void close() {
                body.end(null);
            }
        };
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        ApiException refusal = RefusedUpgrade.noConnection();
        send(refusal.code(), "application/json", Json.encode(refusal.toStatus()));
    }

    private void begin(int status, Map<String, String> headers, List<String> warnings) {
        Map<String, List<String>> all = new HashMap<>();
        headers.forEach((name, value) -> all.put(name, List.of(value)));
        more.forEach((name, value) -> all.put(name, List.of(value)));
        if (!warnings.isEmpty()) {
            all.put("warning", warnings);
        }
        response.complete(new Response(status, all, body, request));
    }

    private static final class Response extends StandardHttpHeaders implements HttpResponse<AsyncBody> {
        private final int status;
        private final AsyncBody body;
        private final HttpRequest request;

        Response(int status, Map<String, List<String>> headers, AsyncBody body, HttpRequest request) {
            super(headers);
            this.status = status;
            this.body = body;
            this.request = request;
        }

        @Override
        public int code() {
            return status;
        }

        @Override
        public AsyncBody body() {
            return body;
        }

        @Override
        public HttpRequest request() {
            return request;
        }

        @Override
        public Optional<HttpResponse<?>> previousResponse() {
            return Optional.empty();
        }
    }
}
