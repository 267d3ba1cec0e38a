package io.argosy.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The answer to one request on one channel; its methods may be called from any thread. */
final class ChannelReply implements HttpReply {
    private static final int PART = 128 << 10;

    /** A client that is still sending when it has its answer gets this long to read it, before the connection breaks. */
    private static final int LAST_WORDS_MILLIS = 500;

    private static final GroupVersionKind STATUS = GroupVersionKind.of("v1", "Status");

    private final ChannelHandlerContext context;
    private final FullHttpRequest request;

    /** The body of the request, if it may still be coming; else null. */
    private final IncomingBody body;

    private final Consumer<ChannelHandlerContext> done;

    /** How long a client may take nothing where it must read. */
    private final Duration patience;

    private final boolean keepAlive;
    private final AtomicBoolean begun = new AtomicBoolean();

    /** What goes with a refusal. */
    private volatile List<String> warned = List.of();

    /** What goes with every answer. */
    private volatile List<String> remarks = List.of();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition writable = lock.newCondition();
    private volatile boolean gone;
    private volatile boolean closeAfter;
    private volatile Map<String, String> more = Map.of();
    private Runnable onGone;

    ChannelReply(
            ChannelHandlerContext context,
            FullHttpRequest request,
            IncomingBody body,
            Consumer<ChannelHandlerContext> done,
            Duration patience) {
        this.context = context;
        this.request = request;
        this.body = body;
        this.done = done;
        this.patience = patience;
        this.keepAlive = HttpUtil.isKeepAlive(request);
    }

    /** Says these to the client whatever the answer will be. */
    void remark(List<String> words) {
        remarks = words;
    }

    /** The connection ends after this answer. */
    void closeAfter() {
        closeAfter = true;
    }

    /** Says why not, in protobuf to those who ask for it first. */
    void refuse(int code, int retryAfter, ObjectNode status) {
        String accept = request.headers().get(HttpHeaderNames.ACCEPT, "");
        boolean protobuf = accept.startsWith(ProtobufDecoder.MEDIA_TYPE);
        Map<String, String> headers = new HashMap<>();
        headers.put("content-type", protobuf ? ProtobufDecoder.MEDIA_TYPE : "application/json");
        if (retryAfter > 0) {
            headers.put("retry-after", Integer.toString(retryAfter));
        }
        byte[] body = protobuf ? Envelope.encode(status, Envelope.schema(STATUS).orElseThrow()) : json(status);
        send(code, headers, warned, List.of(body));
    }

    @Override
    public void warn(List<String> warnings) {
        warned = List.copyOf(warnings);
    }

    private byte[] json(ObjectNode status) {
        Map<String, List<String>> query =
                request.uri().contains("pretty=") ? new QueryStringDecoder(request.uri()).parameters() : Map.of();
        byte[] json = Json.encode(status);
        return Pretty.wanted(query, request.headers()) ? Pretty.indent(json) : json;
    }

    @Override
    public void with(Map<String, String> headers) {
        more = headers;
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        if (!begun.compareAndSet(false, true)) {
            return; // a stream that had begun cannot be refused any more
        }
        long length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        if (length > PART
                && !context.executor().inEventLoop()
                && !request.method().equals(HttpMethod.HEAD)) {
            HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
            describe(head.headers(), headers, warnings, length);
            sendInParts(head, pieces);
            return;
        }
        byte[][] content = pieces.toArray(byte[][]::new);
        ByteBuf buffer = content.length == 1 ? Unpooled.wrappedBuffer(content[0]) : Unpooled.wrappedBuffer(content);
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), buffer);
        describe(response.headers(), headers, warnings, length);
        finish(response);
    }

    private void describe(HttpHeaders to, Map<String, String> headers, List<String> warnings, long length) {
        headers.forEach((name, value) -> to.set(name, value));
        WarningHeaders.of(warnings).forEach(warning -> to.add("warning", warning));
        to.set(HttpHeaderNames.CONTENT_LENGTH, length);
        common(to);
    }

    /** A long answer goes out part by part, as the client takes it, so that it never stands encrypted in memory as a whole. */
    private void sendInParts(HttpResponse head, List<byte[]> pieces) {
        context.write(head);
        ByteBuf part = newPart();
        try {
            for (byte[] piece : pieces) {
                int from = 0;
                while (from < piece.length) {
                    int taken = Math.min(piece.length - from, part.writableBytes());
                    part.writeBytes(piece, from, taken);
                    from += taken;
                    if (!part.isWritable()) {
                        if (!awaitWritable(true)) {
                            abandon(part);
                            return;
                        }
                        context.writeAndFlush(new DefaultHttpContent(part));
                        part = newPart();
                    }
                }
            }
        } catch (InterruptedException stopping) {
            abandon(part);
            Thread.currentThread().interrupt();
            return;
        }
        ByteBuf last = part;
        context.executor().execute(() -> ended(context.writeAndFlush(new DefaultLastHttpContent(last))));
    }

    private ByteBuf newPart() {
        return context.alloc().directBuffer(PART, PART);
    }

    /** An answer that cannot be finished takes its connection with it. */
    private void abandon(ByteBuf part) {
        part.release();
        context.executor().execute(() -> {
            request.release();
            context.close();
        });
    }

    private void finish(DefaultFullHttpResponse response) {
        if (context.executor().inEventLoop()) {
            write(response);
        } else {
            onNetworkThread(() -> write(response));
        }
    }

    private void onNetworkThread(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException closed) {
            request.release(); // the server has ended, and every connection with it
        }
    }

    private void write(DefaultFullHttpResponse response) {
        if (request.method().equals(HttpMethod.HEAD)) {
            response.content().clear();
        }
        ended(context.writeAndFlush(response));
    }

    private void common(HttpHeaders headers) {
        if (!remarks.isEmpty()) {
            WarningHeaders.of(remarks).forEach(remark -> headers.add("warning", remark));
        }
        more.forEach((name, value) -> headers.set(name, value));
        headers.set(HttpCall.AUDIT_ID, request.headers().get(HttpCall.AUDIT_ID));
        headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache, private");
        if (body != null && !body.isComplete()) {
            closeAfter = true; // where the next request would begin is not known yet
        }
        if (!keepAlive || closeAfter) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
    }

    private void ended(ChannelFuture last) {
        request.release();
        boolean cutShort = body != null && !body.isComplete();
        if (body != null) {
            body.discard(); // what nobody has read, nobody will, and the connection must be read again
        }
        if (cutShort) {
            last.addListener(sent ->
                    context.executor().schedule((Runnable) context::close, LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS));
        } else if (!keepAlive || closeAfter) {
            last.addListener(ChannelFutureListener.CLOSE);
        } else {
            done.accept(context);
        }
    }

    @Override
    public Stream stream(int status, Map<String, String> headers) {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("the answer has already begun");
        }
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
        headers.forEach((name, value) -> response.headers().set(name, value));
        common(response.headers());
        HttpUtil.setTransferEncodingChunked(response, true);
        context.writeAndFlush(response);
        return new ChannelStream();
    }

    @Override
    public Stream stream(int status, HttpHeaders headers) {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("the answer has already begun");
        }
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
        common(response.headers());
        headers.names().forEach(name -> response.headers().set(name, headers.getAll(name)));
        boolean empty = request.method().equals(HttpMethod.HEAD) || status == 204 || status == 304;
        if (!empty && !HttpUtil.isContentLengthSet(response)) {
            HttpUtil.setTransferEncodingChunked(response, true);
        }
        context.writeAndFlush(response);
        return new ChannelStream();
    }

    @Override
    public void onGone(Runnable action) {
        boolean alreadyGone;
        lock.lock();
        try {
            onGone = action;
            alreadyGone = gone;
        } finally {
            lock.unlock();
        }
        if (alreadyGone) {
            action.run();
        }
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException("the answer has already begun");
        }
        context.executor().execute(() -> upgrade.takeOver(context, request));
    }

    void writabilityChanged() {
        lock.lock();
        try {
            writable.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void clientGone() {
        Runnable action;
        lock.lock();
        try {
            gone = true;
            action = onGone;
            writable.signalAll();
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
    }

    private boolean awaitWritable(boolean mustBeRead) throws InterruptedException {
        if (!gone && context.channel().isWritable()) {
            return true;
        }
        if (!mustBeRead) {
            return awaitChange();
        }
        try (Stall stall = Stall.of(context.channel(), patience)) {
            return awaitChange();
        }
    }

    private boolean awaitChange() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gone && !context.channel().isWritable()) {
                writable.await();
            }
            return !gone;
        } finally {
            lock.unlock();
        }
    }

    private final class ChannelStream implements Stream {
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean mustBeRead;

        @Override
        public void mustBeRead() {
            mustBeRead = true;
        }

        @Override
        public boolean write(byte[]... pieces) throws InterruptedException {
            if (!awaitWritable(mustBeRead)) {
                return false;
            }
            context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(pieces)));
            return true;
        }

        @Override
        public void onGone(Runnable action) {
            ChannelReply.this.onGone(action);
        }

        @Override
        public void abort() {
            if (ended.compareAndSet(false, true)) {
                onNetworkThread(() -> {
                    request.release();
                    context.close();
                });
            }
        }

        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                onNetworkThread(
                        () -> ChannelReply.this.ended(context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)));
            }
        }
    }
}
