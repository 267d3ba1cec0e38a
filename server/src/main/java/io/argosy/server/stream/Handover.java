package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyVersion;
import java.util.Locale;

/** The change of a connection from HTTP to the protocol that client and server agreed on. */
final class Handover {
    private static final String SPDY = "SPDY/3.1";

    /** The largest message a client may send; what the reference implementation allows. */
    private static final int MAX_MESSAGE = 32 << 20;

    private Handover() {}

    /** Whether the client speaks WebSocket; otherwise SPDY. A request for neither is refused. */
    static boolean toWebSocket(HttpCall call) {
        boolean upgrades = call.headers().getAll(HttpHeaderNames.CONNECTION).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("upgrade"));
        if (!upgrades) {
            throw ApiException.badRequest("Upgrade request required");
        }
        String protocol = call.header("Upgrade");
        if (protocol.equalsIgnoreCase("websocket")) {
            checkWebSocket(call);
            return true;
        }
        if (protocol.equalsIgnoreCase(SPDY)) {
            return false;
        }
        throw ApiException.badRequest(
                "unable to upgrade: missing upgrade headers in request: Upgrade: \"" + protocol + "\"");
    }

    private static void checkWebSocket(HttpCall call) {
        if (!call.method().equals("GET")) {
            throw ApiException.badRequest("unable to upgrade: a WebSocket request must be a GET");
        }
        if (!call.header("Sec-WebSocket-Version").equals("13")
                || call.header("Sec-WebSocket-Key").isEmpty()) {
            throw ApiException.badRequest(
                    "unable to upgrade: a WebSocket request needs Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key");
        }
    }

    /** Streams in WebSocket messages. */
    static void webSocket(HttpReply reply, Protocol protocol, Carrier carrier, Runnable begin, Runnable abandon) {
        reply.upgrade(guarded(abandon, (context, request) -> {
            Channel channel = context.channel();
            shakeHands(channel, request, protocol.name());
            channel.pipeline().addLast(new WebSocketFrameAggregator(MAX_MESSAGE), carrier);
            Thread.ofVirtual().name("pod stream").start(begin);
        }));
    }

    /** An answer in WebSocket messages. */
    static void outgoing(HttpReply reply, String protocol, OutgoingSocket socket, Runnable abandon) {
        reply.upgrade(guarded(abandon, (context, request) -> {
            Channel channel = context.channel();
            shakeHands(channel, request, protocol);
            channel.pipeline().addLast(new WebSocketFrameAggregator(MAX_MESSAGE), socket);
        }));
    }

    /** SPDY in a WebSocket. */
    static void tunnel(HttpReply reply, Protocol protocol, Carrier carrier, Runnable begin, Runnable abandon) {
        reply.upgrade(guarded(abandon, (context, request) -> {
            Channel channel = context.channel();
            shakeHands(channel, request, protocol.name());
            channel.pipeline().addLast(new SpdyTunnel(), new SpdyFrameCodec(SpdyVersion.SPDY_3_1), carrier);
            Thread.ofVirtual().name("pod stream").start(begin);
        }));
    }

    static void spdy(HttpReply reply, Protocol protocol, Carrier carrier, Runnable begin, Runnable abandon) {
        reply.upgrade(guarded(abandon, (context, request) -> {
            Channel channel = context.channel();
            ChannelPipeline pipeline = channel.pipeline();
            DefaultFullHttpResponse answer = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
            answer.headers()
                    .set(HttpHeaderNames.CONNECTION, "Upgrade")
                    .set(HttpHeaderNames.UPGRADE, SPDY)
                    .set(Protocol.STREAM_VERSION, protocol.name())
                    .setAll(identity(request));
            channel.writeAndFlush(answer);
            pipeline.addLast(new SpdyFrameCodec(SpdyVersion.SPDY_3_1), carrier);
            pipeline.remove("http");
            Thread.ofVirtual().name("pod stream").start(begin);
        }));
    }

    /** Whatever the two sides agreed on; the first bytes of the other side follow its answer. */
    static void raw(HttpReply reply, FullHttpResponse answer, ChannelHandler tunnel, byte[] first, Runnable abandon) {
        reply.upgrade(guarded(abandon, (context, request) -> {
            Channel channel = context.channel();
            answer.headers().setAll(identity(request));
            channel.writeAndFlush(answer);
            channel.pipeline().remove("http");
            if (first.length > 0) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(first));
            }
            channel.pipeline().addLast(tunnel);
        }));
    }

    /** The header by which the request is known. */
    private static HttpHeaders identity(FullHttpRequest request) {
        String id = request.headers().get(HttpCall.AUDIT_ID, "");
        return id.isEmpty() ? EmptyHttpHeaders.INSTANCE : new DefaultHttpHeaders().set(HttpCall.AUDIT_ID, id);
    }

    private static void shakeHands(Channel channel, FullHttpRequest request, String name) {
        String subprotocol = name.isEmpty() ? null : name;
        new WebSocketServerHandshaker13(
                        request.uri(),
                        subprotocol,
                        WebSocketDecoderConfig.newBuilder()
                                .maxFramePayloadLength(MAX_MESSAGE)
                                .build())
                .handshake(channel, request, identity(request), channel.newPromise());
    }

    private static HttpReply.Upgrade guarded(Runnable abandon, HttpReply.Upgrade upgrade) {
        return (context, request) -> {
            try {
                if (takeAway(context)) {
                    upgrade.takeOver(context, request);
                } else {
                    context.close();
                    Thread.ofVirtual().name("abandoned").start(abandon);
                }
            } catch (RuntimeException malformed) {
                context.close();
                Thread.ofVirtual().name("abandoned").start(abandon);
                throw malformed;
            } finally {
                request.release();
            }
        };
    }

    /** Makes the connection ours; false if it is gone, or not one that can change its protocol. */
    private static boolean takeAway(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (!channel.isActive() || channel.pipeline().get("http") == null) {
            return false;
        }
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        channel.pipeline().remove("requests");
        return true;
    }
}
