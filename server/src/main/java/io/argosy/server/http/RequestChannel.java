package io.argosy.server.http;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.authn.User;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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

    /** A body of this size is put together, whoever reads it. */
    private static final int SMALL_BODY = 64 << 10;

    /** Of a request that is too large this much is read all the same, so that its client comes to read the answer. */
    private static final long MAX_DRAINED = 16 << 20;

    /** How many requests may wait behind the one being answered before the client is cut off. */
    private static final int MAX_PIPELINED = 32;

    private static final User NOBODY = new User("", List.of());

    private static final Logger LOG = LoggerFactory.getLogger(RequestChannel.class);

    private final Authenticator authenticator;
    private final HttpHandler handler;
    private final Duration patience;
    private final Queue<Arrived> waiting = new ArrayDeque<>();

    private HttpRequest head;
    private CompositeByteBuf body;
    private long received;

    /** Why the request being received is refused, whatever else it says; null if it is not. */
    private ApiException refusal;

    private ScheduledFuture<?> deadline;
    private ChannelReply answering;

    /** The body of the request being answered, while it is still coming; else null. */
    private IncomingBody coming;

    /** A request, complete unless its body is still coming; refused already if there is a refusal. */
    private record Arrived(DefaultFullHttpRequest request, IncomingBody coming, ApiException refusal) {}

    RequestChannel(Authenticator authenticator, HttpHandler handler) {
        this(authenticator, handler, Stall.PATIENCE);
    }

    RequestChannel(Authenticator authenticator, HttpHandler handler, Duration patience) {
        this.authenticator = authenticator;
        this.handler = handler;
        this.patience = patience;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message instanceof HttpRequest request) {
            begin(context, request);
        }
        if (message instanceof HttpContent content && coming != null) {
            passOn(content);
        } else if (message instanceof HttpContent content && head != null) {
            collect(content);
            if (content instanceof LastHttpContent || received > MAX_DRAINED) {
                complete(context);
            }
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        head = request;
        body = context.alloc().compositeBuffer(64);
        received = 0;
        boolean streamed = isStreamed(request);
        refusal = refusalOf(request, streamed);
        deadline = context.executor().schedule((Runnable) context::close, REQUEST_SECONDS, TimeUnit.SECONDS);
        if (request.decoderResult().isFailure() && !(request instanceof LastHttpContent)) {
            complete(context); // nothing more comes of it
        } else if (HttpUtil.is100ContinueExpected(request)) {
            if (refusal == null) {
                context.writeAndFlush(new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
            } else {
                complete(context); // the client waits for our word before it sends the rest
            }
        }
        if (streamed && refusal == null) {
            coming = new IncomingBody(context.channel());
            complete(context);
        }
    }

    /** Whether the handler reads the body as it comes. One that waits behind other requests, or is small, is put together first. */
    private boolean isStreamed(HttpRequest request) {
        if (answering != null
                || request instanceof LastHttpContent
                || request.headers().contains("upgrade")) {
            return false;
        }
        try {
            boolean large =
                    HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) > SMALL_BODY;
            return large && handler.streams(new QueryStringDecoder(request.uri()).path());
        } catch (IllegalArgumentException malformed) {
            return false; // it will be refused for that
        }
    }

    private void passOn(HttpContent content) {
        if (content.decoderResult().isFailure()) {
            coming.discard();
            coming = null;
            return;
        }
        boolean last = content instanceof LastHttpContent;
        coming.add(ByteBufUtil.getBytes(content.content()), last);
        if (last) {
            coming = null;
        }
    }

    private static ApiException refusalOf(HttpRequest request, boolean streamed) {
        if (request.decoderResult().isFailure()) {
            return ApiException.badRequest("malformed HTTP request");
        }
        if (request.protocolVersion().majorVersion() != 1) { // HTTP/2 arrives here in the words of HTTP/1.1
            return ApiException.badRequest("unsupported version " + request.protocolVersion());
        }
        try {
            return !streamed && HttpUtil.getContentLength(request, 0L) > MAX_BODY ? tooLarge() : null;
        } catch (NumberFormatException malformed) {
            return ApiException.badRequest("malformed HTTP request: content-length is no number");
        }
    }

    private static ApiException tooLarge() {
        return new ApiException(Reason.RequestEntityTooLarge, "Request entity too large: limit is " + MAX_BODY);
    }

    private void collect(HttpContent content) {
        received += content.content().readableBytes();
        if (content.decoderResult().isFailure()) {
            refusal = ApiException.badRequest("malformed HTTP request");
        } else if (refusal == null && received > MAX_BODY) {
            refusal = tooLarge();
        }
        if (refusal == null && content.content().isReadable()) {
            body.addComponent(true, content.content().retain());
        }
    }

    private void complete(ChannelHandlerContext context) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                head.protocolVersion(), head.method(), head.uri(), body, head.headers(), EmptyHttpHeaders.INSTANCE);
        Arrived arrived = new Arrived(request, coming, refusal);
        head = null;
        body = null;
        deadline.cancel(false);
        if (answering == null) {
            answer(context, arrived);
        } else if (waiting.size() < MAX_PIPELINED) {
            waiting.add(arrived);
        } else {
            request.release();
            context.close();
        }
    }

    private void answer(ChannelHandlerContext context, Arrived arrived) {
        DefaultFullHttpRequest request = arrived.request();
        if (context.pipeline().get("slowness") instanceof Slowness slowness) {
            slowness.answering();
        }
        if (!request.headers().contains(HttpCall.AUDIT_ID)) {
            request.headers().set(HttpCall.AUDIT_ID, newId());
        }
        ChannelReply reply = new ChannelReply(context, request, arrived.coming(), this::next, patience);
        answering = reply;
        if (arrived.refusal() != null) {
            refuse(reply, arrived.refusal(), true);
            return;
        }
        BodyStream following = arrived.coming() == null ? BodyStream.NONE : arrived.coming();
        byte[] content = ByteBufUtil.getBytes(request.content());
        if (authenticator.mayWait(connection(context), request.headers())) {
            Thread.ofVirtual().name("request").start(() -> {
                HttpCall call = understood(context, request, content, following, reply);
                if (call != null) {
                    handle(call, reply);
                }
            });
            return;
        }
        HttpCall call = understood(context, request, content, following, reply);
        if (call != null) {
            dispatch(call, reply);
        }
    }

    /** The request and who sends it; null if it is refused for that. */
    private HttpCall understood(
            ChannelHandlerContext context,
            DefaultFullHttpRequest request,
            byte[] content,
            BodyStream following,
            ChannelReply reply) {
        try {
            HttpCall call = call(context, request, content, following);
            reply.remark(authenticator.remarks(request.headers(), call.user()));
            return call;
        } catch (ApiException refused) {
            refuse(reply, refused, false);
        } catch (IllegalArgumentException malformed) {
            refuse(reply, ApiException.badRequest("malformed URL: " + malformed.getMessage()), false);
        }
        return null;
    }

    /** Tells requests apart in logs, no more: it need not be hard to guess. */
    private static String newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = random.nextLong() & ~0xf000L | 0x4000L;
        long low = random.nextLong() & ~(3L << 62) | 2L << 62;
        return new UUID(high, low).toString();
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
        Thread.ofVirtual().name("request").start(() -> handle(call, reply));
    }

    private void handle(HttpCall call, ChannelReply reply) {
        try {
            handler.handle(call, reply);
        } catch (ApiException refusal) {
            refuse(reply, refusal, false);
        } catch (InterruptedException shutdown) {
            refuse(reply, new ApiException(Reason.ServiceUnavailable, "the server is shutting down"), true);
        } catch (RuntimeException unexpected) {
            failed(reply, call, unexpected);
        }
    }

    private void failed(ChannelReply reply, HttpCall call, RuntimeException unexpected) {
        LOG.error("{} {} failed", call.method(), call.path(), unexpected);
        refuse(reply, new ApiException(Reason.InternalError, "Internal error occurred: see the server's log"), false);
    }

    private static void refuse(ChannelReply reply, ApiException refusal, boolean close) {
        if (close) {
            reply.closeAfter();
        }
        reply.refuse(refusal.code(), refusal.details().retryAfterSeconds(), refusal.toStatus());
    }

    private HttpCall call(
            ChannelHandlerContext context, DefaultFullHttpRequest request, byte[] content, BodyStream following) {
        String target = target(request.uri());
        QueryStringDecoder url = new QueryStringDecoder(target);
        Channel connection = connection(context);
        Function<User, HttpCall> callOf = user -> new HttpCall(
                request.method().name(),
                url.path(),
                target,
                url.parameters(),
                request.headers(),
                content,
                following,
                user,
                connection.remoteAddress());
        try {
            return callOf.apply(authenticator.authenticate(connection, request.headers()));
        } catch (ApiException stranger) {
            handler.unauthenticated(callOf.apply(NOBODY), stranger);
            throw stranger;
        }
    }

    private static Channel connection(ChannelHandlerContext context) {
        return context.channel().parent() != null && context.pipeline().get("tls") == null
                ? context.channel().parent()
                : context.channel();
    }

    /** The path and query of a request; clients may name the server in front of them. */
    private static String target(String uri) {
        if (uri.startsWith("/")) {
            return uri;
        }
        int scheme = uri.indexOf("://");
        int path = scheme < 0 ? -1 : uri.indexOf('/', scheme + "://".length());
        if (path < 0) {
            throw new IllegalArgumentException("a path must begin with a slash");
        }
        return uri.substring(path);
    }

    /** The answer is out: on with the next request, if one is waiting. */
    private void next(ChannelHandlerContext context) {
        answering = null;
        Arrived arrived = waiting.poll();
        if (arrived != null) {
            answer(context, arrived);
        } else if (context.pipeline().get("slowness") instanceof Slowness slowness) {
            slowness.answered();
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
        if (coming != null) {
            coming.discard();
            coming = null;
        }
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
            head = null;
            deadline.cancel(false);
        }
        waiting.forEach(arrived -> arrived.request().release());
        waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("connection from {} ended", context.channel().remoteAddress(), cause);
        context.close();
    }
}
