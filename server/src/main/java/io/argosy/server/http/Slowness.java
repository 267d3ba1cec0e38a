package io.argosy.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Ends HTTP/1.1 connections whose client keeps us waiting: it may be silent while it waits for an answer, and for a while between requests,
 * but a request that has begun must be complete in time, however many bytes trickle in. Runs on the connection's network thread only.
 */
final class Slowness extends ChannelInboundHandlerAdapter {
    private static final int IDLE_SECONDS = 300;

    private ChannelHandlerContext context;
    private ScheduledFuture<?> patience;
    private boolean idle = true;

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        wait(RequestChannel.REQUEST_SECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object bytes) {
        if (idle) {
            idle = false;
            wait(RequestChannel.REQUEST_SECONDS);
        }
        read.fireChannelRead(bytes);
    }

    /** A request is complete: now it is we who keep the client waiting. */
    void answering() {
        idle = false;
        cancel();
    }

    /** Everything is answered. */
    void answered() {
        idle = true;
        wait(IDLE_SECONDS);
    }

    private void wait(int seconds) {
        cancel();
        patience = context.executor().schedule((Runnable) context::close, seconds, TimeUnit.SECONDS);
    }

    private void cancel() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        cancel();
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        cancel();
    }
}
