package io.argosy.server.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToMessageCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.util.List;

/** Makes a WebSocket a plain byte stream, in which newer clients speak SPDY. */
final class SpdyTunnel extends MessageToMessageCodec<WebSocketFrame, ByteBuf> {
    @Override
    protected void encode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) {
        out.add(bytes.isReadable() ? new BinaryWebSocketFrame(bytes.retain()) : Unpooled.EMPTY_BUFFER);
    }

    @Override
    protected void decode(ChannelHandlerContext context, WebSocketFrame frame, List<Object> out) {
        switch (frame) {
            case BinaryWebSocketFrame data -> out.add(data.content().retain());
            case ContinuationWebSocketFrame data -> out.add(data.content().retain());
            case PingWebSocketFrame ping ->
                context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
            case CloseWebSocketFrame close ->
                context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
            default -> {
                if (!(frame instanceof PongWebSocketFrame)) {
                    context.close();
                }
            }
        }
    }
}
