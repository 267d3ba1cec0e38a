package io.argosy.server.http;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.authn.User;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts requests together from what the network brings, one after the other, and hands each to the handler. One instance for each HTTP/1.1
 * connection and each HTTP/2 stream; runs on the connection's network thread only.
 */
final class RequestChannel extends SimpleChannelInboundHandler<HttpObject> {
    /** A request must be complete in this time. */
    static final int REQUEST_SECONDS = 30;

    static final int MAX_BODY = 1536 * 1024;

    /** How many requests may wait behind the one being answered before the client is cut off. */
    private static final int MAX_PIPELINED = 32;

    private static final Logger LOG = LoggerFactory.getLogger(RequestChannel.class);

    private final Authenticator authenticator;
    private final HttpHandler handler;
    private final Queue<DefaultFullHttpRequest> waiting = new ArrayDeque<>();

    private HttpRequest head;
    private CompositeByteBuf body;
    private boolean tooLarge;
    private ChannelReply answering;

    RequestChannel(Authenticator authenticator, HttpHandler handler) {
        this.authenticator = authenticator;
        this.handler = handler;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message instanceof HttpRequest request) {
            begin(context, request);
        }
        if (message instanceof HttpContent content) {
            collect(content);
            if (content instanceof LastHttpContent) {
                complete(context);
            }
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        head = request;
        body = context.alloc().compositeBuffer(64);
        tooLarge = HttpUtil.getContentLength(request, 0L) > MAX_BODY;
        if (HttpUtil.is100ContinueExpected(request) && !tooLarge) {
            context.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
    }

    private void collect(HttpContent content) {
        if (body == null || !content.content().isReadable()) {
            return;
        }
        if (tooLarge || body.readableBytes() + content.content().readableBytes() > MAX_BODY) {
            tooLarge = true;
        } else {
            body.addComponent(true, content.content().retain());
        }
    }

    private void complete(ChannelHandlerContext context) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                head.protocolVersion(),
                head.method(),
                head.uri(),
                body,
                head.headers(),
                io.netty.handler.codec.http.EmptyHttpHeaders.INSTANCE);
        request.setDecoderResult(head.decoderResult());
        head = null;
        body = null;
        if (answering != null) {
            if (waiting.size() >= MAX_PIPELINED) {
                request.release();
                context.close();
            } else {
                waiting.add(request);
            }
            return;
        }
        answer(context, request);
    }

    private void answer(ChannelHandlerContext context, DefaultFullHttpRequest request) {
        awaitsRequest(context, false);
        ChannelReply reply = new ChannelReply(context, request, this::next);
        answering = reply;
        if (request.decoderResult().isFailure()) {
            refuse(reply, ApiException.badRequest("malformed HTTP request"), true);
            return;
        }
        if (tooLarge) {
            refuse(
                    reply,
                    new ApiException(Reason.RequestEntityTooLarge, "Request entity too large: limit is " + MAX_BODY),
                    true);
            return;
        }
        HttpCall call;
        try {
            call = call(context, request);
        } catch (ApiException refusal) {
            refuse(reply, refusal, false);
            return;
        } catch (IllegalArgumentException malformed) {
            refuse(reply, ApiException.badRequest("malformed URL: " + malformed.getMessage()), false);
            return;
        }
        dispatch(call, reply);
    }

    private void dispatch(HttpCall call, ChannelReply reply) {
        try {
            if (handler.tryFast(call, reply)) {
                return;
            }
        } catch (ApiException refusal) {
            refuse(reply, refusal, false);
            return;
        } catch (RuntimeException unexpected) {
            failed(reply, call, unexpected);
            return;
        }
        Thread.ofVirtual().name("request").start(() -> {
            try {
                handler.handle(call, reply);
            } catch (ApiException refusal) {
                refuse(reply, refusal, false);
            } catch (InterruptedException shutdown) {
                refuse(reply, new ApiException(Reason.ServiceUnavailable, "the server is shutting down"), true);
            } catch (RuntimeException unexpected) {
                failed(reply, call, unexpected);
            }
        });
    }

    private void failed(ChannelReply reply, HttpCall call, RuntimeException unexpected) {
        LOG.error("{} {} failed", call.method(), call.path(), unexpected);
        refuse(reply, new ApiException(Reason.InternalError, "Internal error occurred: see the server's log"), false);
    }

    private static void refuse(ChannelReply reply, ApiException refusal, boolean close) {
        if (close) {
            reply.closeAfter();
        }
        reply.refuse(refusal.code(), refusal.details().retryAfterSeconds(), Json.encode(refusal.toStatus()));
    }

    private HttpCall call(ChannelHandlerContext context, DefaultFullHttpRequest request) {
        QueryStringDecoder url = new QueryStringDecoder(request.uri());
        Channel connection =
                context.channel().parent() != null && context.pipeline().get("tls") == null
                        ? context.channel().parent()
                        : context.channel();
        User user = authenticator.authenticate(connection, request.headers());
        return new HttpCall(
                request.method().name(),
                url.path(),
                url.parameters(),
                request.headers(),
                ByteBufUtil.getBytes(request.content()),
                user,
                connection.remoteAddress());
    }

    /** The answer is out: on with the next request, if one is waiting. */
    private void next(ChannelHandlerContext context) {
        answering = null;
        DefaultFullHttpRequest request = waiting.poll();
        if (request != null) {
            answer(context, request);
        } else {
            awaitsRequest(context, true);
        }
    }

    /** A client may be silent while it waits for an answer or keeps a connection, but not in the middle of a request. */
    private void awaitsRequest(ChannelHandlerContext context, boolean idle) {
        if (context.pipeline().get("slowness") != null) {
            context.pipeline().remove("slowness");
        }
        if (idle && context.pipeline().get("http") != null) {
            context.pipeline()
                    .addAfter("tls", "slowness", new ReadTimeoutHandler(10 * REQUEST_SECONDS, TimeUnit.SECONDS));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (answering != null) {
            answering.writabilityChanged();
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (answering != null) {
            answering.clientGone();
        }
        release();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        release();
    }

    private void release() {
        if (body != null) {
            body.release();
            body = null;
        }
        waiting.forEach(DefaultFullHttpRequest::release);
        waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("connection from {} ended", context.channel().remoteAddress(), cause);
        context.close();
    }

    /** Bytes as they are, without copying. */
    static ByteBuf wrap(byte[] piece) {
        return Unpooled.wrappedBuffer(piece);
    }

    static void closeWhenDone(ChannelHandlerContext context) {
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    static boolean keepsAlive(HttpRequest request) {
        return HttpUtil.isKeepAlive(request) && !request.headers().contains(HttpHeaderNames.CONNECTION, "close", true);
    }
}
