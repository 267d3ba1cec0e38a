package io.argosy.server.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Streams in a WebSocket: each message begins with the number of its stream, which both sides know beforehand. */
final class WebSocketCarrier extends Carrier {
    /** The stream number by which a client says that it will send no more on the stream named by the byte that follows. */
    private static final int CLOSE_SIGNAL = 255;

    private static final Logger LOG = LoggerFactory.getLogger(WebSocketCarrier.class);

    private final Protocol protocol;
    private final List<ClientStream> streams = new ArrayList<>();

    WebSocketCarrier(Protocol protocol, int count) {
        this.protocol = protocol;
        for (int number = 0; number < count; number++) {
            streams.add(new ClientStream(this, number, Map.of()));
        }
    }

    ClientStream stream(int number) {
        return streams.get(number);
    }

    @Override
    Collection<ClientStream> streams() {
        return streams;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            switch (message) {
                case BinaryWebSocketFrame data -> received(data.content());
                case TextWebSocketFrame data -> received(data.content());
                case PingWebSocketFrame ping ->
                    context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
                case CloseWebSocketFrame close -> hungUp(context, close);
                default -> LOG.trace("ignored {}", message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void hungUp(ChannelHandlerContext context, CloseWebSocketFrame close) {
        if (finishing()) {
            context.close();
        } else {
            context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void received(ByteBuf message) {
        if (!message.isReadable() || finishing()) {
            return;
        }
        int number = message.readUnsignedByte();
        if (protocol.closeSignals() && number == CLOSE_SIGNAL) {
            if (message.readableBytes() == 1 && message.getUnsignedByte(message.readerIndex()) < streams.size()) {
                streams.get(message.readUnsignedByte()).endInput();
            } else {
                sendClose(WebSocketCloseStatus.PROTOCOL_ERROR);
            }
            return;
        }
        byte[] bytes = ByteBufUtil.getBytes(message);
        if (protocol.base64()) {
            number -= '0';
            try {
                bytes = Base64.getDecoder().decode(bytes);
            } catch (IllegalArgumentException malformed) {
                sendClose(WebSocketCloseStatus.INVALID_PAYLOAD_DATA);
                return;
            }
        }
        if (number >= 0 && number < streams.size()) {
            streams.get(number).deliver(bytes);
        } else {
            LOG.debug("dropped a message for stream {}, which there is not", number);
        }
    }

    @Override
    int headroom() {
        return 1;
    }

    @Override
    WebSocketFrame message(ClientStream stream, byte[] bytes) {
        if (protocol.base64()) {
            byte[] text = Base64.getEncoder().encode(Arrays.copyOfRange(bytes, 1, bytes.length));
            byte[] number = {(byte) ('0' + stream.id())};
            return new TextWebSocketFrame(Unpooled.wrappedBuffer(number, text));
        }
        bytes[0] = (byte) stream.id();
        return new BinaryWebSocketFrame(Unpooled.wrappedBuffer(bytes));
    }

    /** There is no word for the end of one stream to the client; it sees the end of all of them. */
    @Override
    void sendEnd(ClientStream stream) {
        LOG.trace("stream {} to the client has ended", stream.id());
    }

    @Override
    PingWebSocketFrame probe() {
        return new PingWebSocketFrame();
    }

    @Override
    void sayGoodbye() {
        context().writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }

    private void sendClose(WebSocketCloseStatus why) {
        context().writeAndFlush(new CloseWebSocketFrame(why)).addListener(ChannelFutureListener.CLOSE);
    }
}
