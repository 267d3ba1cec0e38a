package io.argosy.server.http;

import java.util.List;
import java.util.Map;

/** The way back to the client: one whole answer, a stream, or a protocol of its own. */
public interface HttpReply {
    /** Sends a whole answer; the pieces are sent one after the other, without being copied. */
    void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces);

    default void send(int status, String contentType, byte[] body) {
        send(status, Map.of("content-type", contentType), List.of(), List.of(body));
    }

    /** Says these to the client should it come to a refusal; an answer has its own warnings. */
    default void warn(List<String> warnings) {}

    /** Begins an answer whose length is not known. */
    Stream stream(int status, Map<String, String> headers);

    /** Hands the connection over to another protocol; only on HTTP/1.1. */
    void upgrade(Upgrade upgrade);

    /** An answer under way. */
    interface Stream extends AutoCloseable {
        /** Sends the pieces at once; waits while the client does not keep up. False when the client is gone. */
        boolean write(byte[]... pieces) throws InterruptedException;

        /** Called once when the client goes away before the end. */
        void onGone(Runnable action);

        @Override
        void close();
    }

    /** Takes over a connection after its HTTP request. */
    @FunctionalInterface
    interface Upgrade {
        void takeOver(
                io.netty.channel.ChannelHandlerContext context, io.netty.handler.codec.http.FullHttpRequest request);
    }
}
