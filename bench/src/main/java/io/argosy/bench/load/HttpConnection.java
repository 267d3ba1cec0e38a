package io.argosy.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A kept-alive connection for one request after the other, whole answers and all; for setting up, and for timing single requests. */
public final class HttpConnection implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int HEAD_LIMIT = 16 << 10;
    private static final int CHUNK = 1 << 20;
    private static final int CONFLICT = 409;

    private final Target target;
    private final Channel channel;
    private final Answers answers = new Answers();

    private HttpConnection(Target target, boolean anonymous) throws IOException, InterruptedException {
        this.target = target;
        this.channel = anonymous ? target.connectAnonymously(decoder(), answers) : target.connect(decoder(), answers);
    }

    public static HttpConnection to(Target target) throws IOException, InterruptedException {
        return new HttpConnection(target, false);
    }

    /** Of a client that shows no certificate. */
    public static HttpConnection anonymouslyTo(Target target) throws IOException, InterruptedException {
        return new HttpConnection(target, true);
    }

    static HttpResponseDecoder decoder() {
        return new HttpResponseDecoder(
                new HttpDecoderConfig().setMaxHeaderSize(HEAD_LIMIT).setMaxChunkSize(CHUNK));
    }

    /**
     * An answer with the times, of {@link System#nanoTime}, at which its request was sent and its last byte had come.
     *
     * @param length of the body in bytes
     * @param body empty unless it was asked for
     */
    public record Answer(int status, long length, byte[] body, long sent, long received) {
        public long nanos() {
            return received - sent;
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** GET whose body is counted and not kept. */
    public Answer fetch(String path) throws IOException, InterruptedException {
        return send("GET", path, "", false);
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "", true);
    }

    /** POST that must succeed. */
    public Answer post(String path, String json) throws IOException, InterruptedException {
        return checked("POST", path, json);
    }

    /** POST of what may be there already. */
    public void ensure(String path, String json) throws IOException, InterruptedException {
        Answer answer = send("POST", path, json, true);
        if (answer.status() != CONFLICT) {
            succeeded("POST", path, answer);
        }
    }

    /** PUT that must succeed. */
    public Answer put(String path, String json) throws IOException, InterruptedException {
        return checked("PUT", path, json);
    }

    /** DELETE that must succeed. */
    public Answer delete(String path) throws IOException, InterruptedException {
        return checked("DELETE", path, "");
    }

    private Answer checked(String method, String path, String json) throws IOException, InterruptedException {
        return succeeded(method, path, send(method, path, json, true));
    }

    private static Answer succeeded(String method, String path, Answer answer) throws IOException {
        if (answer.status() >= 300) {
            throw new IOException(method + " " + path + " was answered " + answer.status() + ": " + answer.text());
        }
        return answer;
    }

    private Answer send(String method, String path, String json, boolean keep)
            throws IOException, InterruptedException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        byte[] head = target.head(method, path, body.length).getBytes(StandardCharsets.US_ASCII);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            answers.expect(answer, keep);
            channel.writeAndFlush(Unpooled.wrappedBuffer(head, body)).addListener(written -> {
                if (!written.isSuccess()) {
                    answer.completeExceptionally(written.cause());
                }
            });
        });
        try {
            return answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new IOException(method + " " + path + ": " + failed.getCause().getMessage(), failed.getCause());
        } catch (TimeoutException late) {
            throw new IOException(method + " " + path + " was not answered in " + LIMIT.toSeconds() + " s", late);
        }
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }

    private static final class Answers extends SimpleChannelInboundHandler<HttpObject> {
        private CompletableFuture<Answer> expected;
        private boolean keep;
        private long sent;
        private int status;
        private long length;
        private ByteArrayOutputStream body;

        void expect(CompletableFuture<Answer> answer, boolean keepBody) {
            expected = answer;
            keep = keepBody;
            length = 0;
            body = new ByteArrayOutputStream(keepBody ? 4096 : 0);
            sent = System.nanoTime();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
            if (message instanceof HttpResponse response) {
                status = response.status().code();
            }
            if (message instanceof HttpContent content) {
                take(content.content());
            }
            if (message instanceof LastHttpContent) {
                expected.complete(new Answer(status, length, body.toByteArray(), sent, System.nanoTime()));
            }
        }

        private void take(ByteBuf bytes) {
            length += bytes.readableBytes();
            if (keep) {
                try {
                    bytes.readBytes(body, bytes.readableBytes());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(new IOException("the server closed the connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
        }

        private void fail(Throwable cause) {
            if (expected != null) {
                expected.completeExceptionally(cause);
            }
        }
    }
}
