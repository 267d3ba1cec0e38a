package io.argosy.server.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The way back to the client: one whole answer, a stream, or a protocol of its own. */
public interface HttpReply {
    /** Sends a whole answer; the pieces are sent one after the other, without being copied. */
    void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces);

    default void send(int status, String contentType, byte[] body) {
        send(status, Map.of("content-type", contentType), List.of(), List.of(body));
    }

    /** Headers that go with the answer, whichever it will be; for those who can see them. */
    default void with(Map<String, String> headers) {}

    /** Says these to the client should it come to a refusal; an answer has its own warnings. */
    default void warn(List<String> warnings) {}

    /** Begins an answer whose length is not known. */
    Stream stream(int status, Map<String, String> headers);

    /** Passes on somebody else's answer, with its own headers; it has the length they say, if they say one. */
    default Stream stream(int status, HttpHeaders headers) {
        Map<String, String> joined = new HashMap<>();
        headers.names().forEach(name -> joined.put(name, String.join(", ", headers.getAll(name))));
        return stream(status, joined);
    }

    /** Called once if the client goes away before it has its answer; where it cannot, never. */
    default void onGone(Runnable action) {}

    /** Hands the connection over to another protocol; only on HTTP/1.1. */
    void upgrade(Upgrade upgrade);

    /** An answer under way. */
    interface Stream extends AutoCloseable {
        /** Sends the pieces at once; waits while the client does not keep up. False when the client is gone. */
        boolean write(byte[]... pieces) throws InterruptedException;

        /** A client that takes nothing of what is waiting for it is let go; for those who send more than can be kept for it. */
        default void mustBeRead() {}

        /** Called once when the client goes away before the end. */
        void onGone(Runnable action);

        /** The answer cannot be finished: the client must not take it for whole, where that can be told. */
        default void abort() {
            close();
        }

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
