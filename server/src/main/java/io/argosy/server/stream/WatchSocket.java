package io.argosy.server.stream;

import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A watch in a WebSocket: a message for each event. What the client says is of no interest, only that it is there. */
public final class WatchSocket extends ChannelInboundHandlerAdapter implements HttpReply.Stream {
    private final boolean binary;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Channel channel;
    private boolean gone;
    private Runnable onGone;

    private WatchSocket(boolean binary) {
        this.binary = binary;
    }

    /** Whether the client wants its answer in a WebSocket. */
    public static boolean wanted(HttpCall call) {
        return call.header("Upgrade").equalsIgnoreCase("websocket") && Handover.toWebSocket(call);
    }

    /** Changes the connection over; binary messages for protobuf, text for JSON. */
    public static WatchSocket open(HttpReply reply, boolean binary) {
        WatchSocket socket = new WatchSocket(binary);
        Handover.watch(reply, socket, socket::lost);
        return socket;
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
        lock.lockInterruptibly();
        try {
            while (!gone && (channel == null || !channel.isWritable())) {
                changed.await();
            }
            if (gone) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        ByteBuf message = Unpooled.wrappedBuffer(pieces);
        channel.writeAndFlush(binary ? new BinaryWebSocketFrame(message) : new TextWebSocketFrame(message));
        return true;
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
