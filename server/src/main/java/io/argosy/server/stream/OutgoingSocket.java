package io.argosy.server.stream;

import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.http.Stall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.base64.Base64;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/** An answer in a WebSocket: a message for each piece of it, be it the events of a watch or a log. What the client says is of no interest. */
public final class OutgoingSocket extends ChannelInboundHandlerAdapter implements HttpReply.Stream {
    private final UnaryOperator<ByteBuf> coding;
    private final boolean binary;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Channel channel;
    private boolean gone;
    private volatile boolean mustBeRead;
    private Runnable onGone;

    private OutgoingSocket(boolean binary, UnaryOperator<ByteBuf> coding) {
        this.binary = binary;
        this.coding = coding;
    }

    /** Whether the client wants its answer in a WebSocket. */
    public static boolean wanted(HttpCall call) {
        return call.header("Upgrade").equalsIgnoreCase("websocket") && Handover.toWebSocket(call);
    }

    /** Changes the connection over to a watch; binary messages for protobuf, text for JSON. */
    public static OutgoingSocket watch(HttpReply reply, boolean binary) {
        OutgoingSocket socket = new OutgoingSocket(binary, UnaryOperator.identity());
        Handover.outgoing(reply, "", socket, socket::lost);
        return socket;
    }

    /** Changes the connection over to bytes, in the protocol that the client asks for. */
    public static OutgoingSocket bytes(HttpCall call, HttpReply reply) {
        Protocol protocol = Protocol.ofWebSocket(call.headers(), Protocol.BYTES_WEBSOCKET);
        OutgoingSocket socket = protocol.base64()
                ? new OutgoingSocket(false, OutgoingSocket::base64)
                : new OutgoingSocket(true, UnaryOperator.identity());
        Handover.outgoing(reply, protocol.name(), socket, socket::lost);
        return socket;
    }

    private static ByteBuf base64(ByteBuf message) {
        try {
            return Base64.encode(message, false);
        } finally {
            message.release();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        lock.lock();
        try {
            channel = context.channel();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean write(byte[]... pieces) throws InterruptedException {
        if (!awaitChannel() || !awaitWritable()) {
            return false;
        }
        ByteBuf message = coding.apply(Unpooled.wrappedBuffer(pieces));
        channel.writeAndFlush(binary ? new BinaryWebSocketFrame(message) : new TextWebSocketFrame(message));
        return true;
    }

    private boolean awaitChannel() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gone && channel == null) {
                changed.await();
            }
            return !gone;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitWritable() throws InterruptedException {
        if (!mustBeRead || channel.isWritable()) {
            return awaitChange();
        }
        try (Stall stall = Stall.of(channel, Stall.PATIENCE)) {
            return awaitChange();
        }
    }

    private boolean awaitChange() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gone && !channel.isWritable()) {
                changed.await();
            }
            return !gone;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void mustBeRead() {
        mustBeRead = true;
    }

    @Override
    public void onGone(Runnable action) {
        boolean already;
        lock.lock();
        try {
            onGone = action;
            already = gone;
        } finally {
            lock.unlock();
        }
        if (already) {
            action.run();
        }
    }

    @Override
    public void close() {
        Channel open;
        lock.lock();
        try {
            open = gone ? null : channel;
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            switch (message) {
                case PingWebSocketFrame ping ->
                    context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
                case CloseWebSocketFrame close ->
                    context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
                default -> {
                    // nothing that a watcher could say changes anything
                }
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        lost();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close(); // what is no WebSocket message, or a broken line
    }

    private void lost() {
        Runnable action;
        lock.lock();
        try {
            gone = true;
            action = onGone;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
    }
}
