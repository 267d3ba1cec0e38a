package io.argosy.junit.http;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.authn.User;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * fabric8's HTTP client, handing each request straight to the server's handler: everything above the network is as over HTTPS, and the
 * user is an administrator.
 */
final class InProcessHttpClient
        extends StandardHttpClient<InProcessHttpClient, InProcessHttpFactory, InProcessHttpBuilder> {
    private static final User ADMINISTRATOR = new User("argosy:test", List.of(User.MASTERS, User.AUTHENTICATED));

    /** Sixteen bytes in Base64, as the handshake asks for; no proxy is on the way that could repeat an answer. */
    private static final String WEB_SOCKET_KEY = "AAAAAAAAAAAAAAAAAAAAAA==";

    private final InProcessHttpFactory factory;

    InProcessHttpClient(InProcessHttpBuilder builder, InProcessHttpFactory factory, AtomicBoolean closed) {
        super(builder, closed);
        this.factory = factory;
    }

    @Override
    public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(
            StandardHttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        InProcessReply reply = new InProcessReply(request, consumer);
        hand(request, request.headers(), reply, reply::fail);
        return reply.response();
    }

    /** Gives a request to the server, on a thread of its own as each has there. */
    private void hand(
            StandardHttpRequest request,
            Map<String, List<String>> headers,
            HttpReply reply,
            Consumer<? super IOException> unreachable) {
        HttpHandler server = factory.server();
        if (server == null) {
            unreachable.accept(new ConnectException("the control plane is down"));
            return;
        }
        HttpCall call;
        try {
            call = call(request, headers);
        } catch (IOException e) {
            unreachable.accept(e);
            return;
        }
        Thread.ofVirtual().name("request").start(() -> answer(server, call, reply, unreachable));
    }

    private static void answer(
            HttpHandler server, HttpCall call, HttpReply reply, Consumer<? super IOException> unreachable) {
        try {
            if (!server.tryFast(call, reply)) {
                server.handle(call, reply);
            }
        } catch (ApiException refusal) {
            reply.send(refusal.code(), "application/json", Json.encode(refusal.toStatus()));
        } catch (InterruptedException shutdown) {
            unreachable.accept(new ConnectException("the control plane went down"));
        } catch (RuntimeException defect) {
            ApiException error = new ApiException(Reason.InternalError, "Internal error occurred: " + defect);
            reply.send(error.code(), "application/json", Json.encode(error.toStatus()));
        }
    }

    private static HttpCall call(StandardHttpRequest request, Map<String, List<String>> given) throws IOException {
        QueryStringDecoder url = new QueryStringDecoder(request.uri());
        HttpHeaders headers = new DefaultHttpHeaders();
        given.forEach((name, values) -> headers.add(name, values));
        if (request.getContentType() != null && !headers.contains("content-type")) {
            headers.set("content-type", request.getContentType());
        }
        return new HttpCall(
                request.method(),
                url.path(),
                url.parameters(),
                headers,
                body(request.body()),
                ADMINISTRATOR,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static byte[] body(StandardHttpRequest.BodyContent body) throws IOException {
        return switch (body) {
            case null -> new byte[0];
            case StandardHttpRequest.StringBodyContent text -> text.getContent().getBytes(StandardCharsets.UTF_8);
            case StandardHttpRequest.ByteArrayBodyContent bytes -> bytes.getContent();
            case StandardHttpRequest.InputStreamBodyContent stream ->
                stream.getContent().readAllBytes();
            default ->
                throw new UncheckedIOException(
                        new IOException("a body of " + body.getClass().getName() + " cannot be sent"));
        };
    }

    /** The server hears of the upgrade and says itself why it cannot be had here: pods are simulated, and nothing runs in them. */
    @Override
    public CompletableFuture<WebSocketResponse> buildWebSocketDirect(
            StandardWebSocketBuilder builder, WebSocket.Listener listener) {
        StandardHttpRequest request = builder.asHttpRequest();
        Map<String, List<String>> headers = new HashMap<>(request.headers());
        headers.put("connection", List.of("Upgrade"));
        headers.put("upgrade", List.of("websocket"));
        headers.put("sec-websocket-version", List.of("13"));
        headers.put("sec-websocket-key", List.of(WEB_SOCKET_KEY));
        if (builder.getSubprotocol() != null) {
            headers.put("sec-websocket-protocol", List.of(builder.getSubprotocol()));
        }
        RefusedUpgrade reply = new RefusedUpgrade(request);
        hand(request, headers, reply, reply::fail);
        return reply.response();
    }

    @Override
    protected void doClose() {
        // nothing is held: every watch belongs to a request
    }
}
