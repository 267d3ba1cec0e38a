package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A watch on a connection of its own; each event's bytes go to a listener on the connection's thread, which must not block. */
public final class WatchStream implements AutoCloseable {
    private static final int OPEN_SECONDS = 30;

    private final Channel channel;

    private WatchStream(Channel channel) {
        this.channel = channel;
    }

    /** Returns when the server has begun to answer: what is written from now on is seen. */
    public static WatchStream open(Target target, String path, Consumer<byte[]> listener)
            throws IOException, InterruptedException {
        return open(target, path, Target.JSON, listener);
    }

    /** The same for events in JSON, read. */
    static WatchStream events(Target target, String path, String accept, Consumer<JsonNode> listener)
            throws IOException, InterruptedException {
        return open(target, path, accept, line -> {
            try {
                listener.accept(Json.decode(line));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    static WatchStream open(Target target, String path, String accept, Consumer<byte[]> listener)
            throws IOException, InterruptedException {
        return open(target, path, accept, listener, () -> {});
    }

    /** The same for somebody who wants to know when the server has ended it, which it may do with who reads too slowly for it. */
    static WatchStream open(Target target, String path, String accept, Consumer<byte[]> listener, Runnable ended)
            throws IOException, InterruptedException {
        Lines lines = new Lines(listener, ended);
        Channel channel = target.connect(HttpConnection.decoder(), lines);
        channel.writeAndFlush(Unpooled.copiedBuffer(target.head("GET", path, accept, 0), StandardCharsets.US_ASCII));
        try {
            lines.opened.get(OPEN_SECONDS, TimeUnit.SECONDS);
            return new WatchStream(channel);
        } catch (ExecutionException | TimeoutException failed) {
            channel.close();
            throw new IOException("watch of " + path + ": " + failed, failed);
        }
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }

    private static final class Lines extends SimpleChannelInboundHandler<HttpObject> {
        private final CompletableFuture<Void> opened = new CompletableFuture<>();
        private final ByteArrayOutputStream line = new ByteArrayOutputStream(4096);
        private final Consumer<byte[]> listener;
        private final Runnable ended;
        private boolean over;

        Lines(Consumer<byte[]> listener, Runnable ended) {
            this.listener = listener;
            this.ended = ended;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
            if (message instanceof HttpResponse response) {
                if (response.status().code() == 200) {
                    opened.complete(null);
                } else {
                    opened.completeExceptionally(new IOException("answered " + response.status()));
                }
            }
            if (message instanceof HttpContent content) {
                cut(content.content());
            }
            if (message instanceof LastHttpContent) {
                end();
            }
        }

        private void end() {
            if (!over && opened.isDone() && !opened.isCompletedExceptionally()) {
                over = true;
                ended.run();
            }
        }

        private void cut(ByteBuf bytes) {
            while (bytes.isReadable()) {
                int length = bytes.bytesBefore((byte) '\n');
                keep(bytes, length < 0 ? bytes.readableBytes() : length);
                if (length >= 0) {
                    bytes.skipBytes(1);
                    byte[] whole = line.toByteArray();
                    line.reset();
                    listener.accept(whole);
                }
            }
        }

        private void keep(ByteBuf bytes, int length) {
            try {
                bytes.readBytes(line, length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            opened.completeExceptionally(new IOException("the server closed the connection"));
            end();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            opened.completeExceptionally(cause);
            context.close();
        }
    }
}
