package io.argosy.server.stream;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A client that keeps what each numbered stream of a WebSocket brought. */
final class WebSocketClient implements WebSocket.Listener, AutoCloseable {
    static final long PATIENCE_SECONDS = 60;

    private final Map<Integer, ByteArrayOutputStream> streams = new HashMap<>();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final StringBuilder text = new StringBuilder();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final HttpClient http;
    private final WebSocket socket;

    WebSocketClient(StreamServer server, String subresourceAndQuery, String... protocols) throws Exception {
        http = HttpClient.newBuilder().sslContext(server.clientTls()).build();
        WebSocket.Builder builder = http.newWebSocketBuilder();
        if (protocols.length > 0) {
            builder.subprotocols(protocols[0], java.util.Arrays.copyOfRange(protocols, 1, protocols.length));
        }
        socket = builder.buildAsync(uri(server, subresourceAndQuery), this).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    static URI uri(StreamServer server, String subresourceAndQuery) {
        return URI.create(
                "wss://localhost:" + server.port() + "/api/v1/namespaces/default/pods/box/" + subresourceAndQuery);
    }

    String protocol() {
        return socket.getSubprotocol();
    }

    WebSocket socket() {
        return socket;
    }

    void send(int stream, byte[] bytes) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(bytes.length + 1)
                .put((byte) stream)
                .put(bytes)
                .flip();
        socket.sendBinary(buffer, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    void send(int stream, String words) throws Exception {
        send(stream, words.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public synchronized CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        message.writeBytes(bytes);
        if (last) {
            byte[] whole = message.toByteArray();
            message.reset();
            stream(whole[0]).write(whole, 1, whole.length - 1);
            notifyAll();
        }
        socket.request(1);
        return null;
    }

    @Override
    public synchronized CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            stream(text.charAt(0) - '0').writeBytes(Base64.getDecoder().decode(text.substring(1)));
            text.setLength(0);
            notifyAll();
        }
        socket.request(1);
        return null;
    }

    private ByteArrayOutputStream stream(int number) {
        return streams.computeIfAbsent(number, any -> new ByteArrayOutputStream());
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        closed.complete(status);
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        closed.completeExceptionally(error);
    }

    /** Waits until the server closes, and gives the code. */
    int awaitClose() throws Exception {
        return closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    synchronized byte[] bytes(int stream) {
        return stream(stream).toByteArray();
    }

    String text(int stream) {
        return new String(bytes(stream), StandardCharsets.UTF_8);
    }

    void awaitText(int stream, String expected) throws InterruptedException {
        await(stream, () -> text(stream).contains(expected));
    }

    /** What the stream has brought when it has brought so many bytes. */
    byte[] awaitBytes(int stream, int count) throws InterruptedException {
        await(stream, () -> bytes(stream).length >= count);
        return bytes(stream);
    }

    private synchronized void await(int stream, BooleanSupplier arrived) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!arrived.getAsBoolean()) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("stream " + stream + " brought only: " + text(stream));
            }
            wait(left);
        }
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }
}
