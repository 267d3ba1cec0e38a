package io.argosy.server.webhook;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.EOFException;
import java.util.concurrent.CompletableFuture;

/** One connection to a webhook: a request, its answer, and so on. */
final class Exchange extends SimpleChannelInboundHandler<FullHttpResponse> {
    private final Runnable gone;

    /** The answer that is waited for; null between calls. Used by the connection's thread only. */
    private CompletableFuture<Answer> awaited;

    /** An answer as it came. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never changed
    record Answer(int status, byte[] body, boolean keepAlive) {}

    Exchange(Runnable gone) {
        this.gone = gone;
    }

    static void send(Channel channel, FullHttpRequest request, CompletableFuture<Answer> answer) {
        Exchange exchange = channel.pipeline().get(Exchange.class);
        if (exchange == null) {
            request.release();
            answer.completeExceptionally(new EOFException("EOF"));
            return;
        }
        channel.eventLoop().execute(() -> exchange.begin(channel, request, answer));
    }

    private void begin(Channel channel, FullHttpRequest request, CompletableFuture<Answer> answer) {
        awaited = answer;
        channel.writeAndFlush(request).addListener(sent -> {
            if (!sent.isSuccess()) {
                fail(sent.cause());
            }
        });
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
        CompletableFuture<Answer> waiting = awaited;
        awaited = null;
        if (waiting == null) { // nobody asked
            context.close();
            return;
        }
        waiting.complete(new Answer(
                response.status().code(), ByteBufUtil.getBytes(response.content()), HttpUtil.isKeepAlive(response)));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(new EOFException("EOF"));
        gone.run();
    }

    private void fail(Throwable cause) {
        CompletableFuture<Answer> waiting = awaited;
        awaited = null;
        if (waiting != null) {
            waiting.completeExceptionally(cause);
        }
    }
}
