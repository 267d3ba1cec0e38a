package io.argosy.server.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdyPingFrame;
import io.netty.handler.codec.spdy.DefaultSpdyRstStreamFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyGoAwayFrame;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdyStreamStatus;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A SPDY client over any two byte streams. */
final class SpdyClient implements AutoCloseable {
    private final InputStream in;
    private final OutputStream out;
    private final EmbeddedChannel encoder = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
    private final EmbeddedChannel decoder = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
    private final Map<Integer, ByteArrayOutputStream> received = new HashMap<>();
    private final Set<Integer> replied = new HashSet<>();
    private final Set<Integer> ended = new HashSet<>();
    private final Set<Integer> reset = new HashSet<>();
    private int pings;
    private boolean goneAway;
    private boolean closed;
    private int lastId = -1;

    SpdyClient(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
        Thread.ofVirtual().name("spdy client").start(this::readAll);
    }

    private void readAll() {
        byte[] buffer = new byte[64 * 1024];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                synchronized (this) {
                    decoder.writeInbound(Unpooled.copiedBuffer(buffer, 0, count));
                    for (SpdyFrame frame = decoder.readInbound(); frame != null; frame = decoder.readInbound()) {
                        take(frame);
                    }
                    notifyAll();
                }
            }
        } catch (IOException end) {
            // the same as an end without an exception
        } finally {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
        }
    }

    private void take(SpdyFrame frame) {
        switch (frame) {
            case SpdyDataFrame data -> {
                byte[] bytes = new byte[data.content().readableBytes()];
                data.content().readBytes(bytes);
                stream(data.streamId()).writeBytes(bytes);
                if (data.isLast()) {
                    ended.add(data.streamId());
                }
            }
            case SpdySynReplyFrame reply -> replied.add(reply.streamId());
            case SpdyRstStreamFrame broken -> reset.add(broken.streamId());
            case SpdyPingFrame ping -> pings++;
            case SpdyGoAwayFrame farewell -> goneAway = true;
            default -> throw new AssertionError("unexpected " + frame);
        }
        ReferenceCountUtil.release(frame);
    }

    private ByteArrayOutputStream stream(int id) {
        return received.computeIfAbsent(id, any -> new ByteArrayOutputStream());
    }

    private void write(SpdyFrame frame) throws IOException {
        synchronized (encoder) { // reading must go on while a write waits
            encoder.writeOutbound(frame);
            for (ByteBuf bytes = encoder.readOutbound(); bytes != null; bytes = encoder.readOutbound()) {
                bytes.readBytes(out, bytes.readableBytes());
                bytes.release();
            }
            out.flush();
        }
    }

    /** Opens a stream and waits for the server's yes or no. */
    int open(String... namesAndValues) throws Exception {
        int id = lastId += 2;
        SpdySynStreamFrame frame = new DefaultSpdySynStreamFrame(id, 0, (byte) 0);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            frame.headers().set(namesAndValues[i], namesAndValues[i + 1]);
        }
        write(frame);
        await(() -> replied.contains(id) || reset.contains(id));
        return id;
    }

    void send(int stream, byte[] bytes) throws IOException {
        write(new DefaultSpdyDataFrame(stream, Unpooled.wrappedBuffer(bytes)));
    }

    void send(int stream, String words) throws IOException {
        send(stream, words.getBytes(StandardCharsets.UTF_8));
    }

    void end(int stream) throws IOException {
        write(new DefaultSpdyDataFrame(stream, Unpooled.EMPTY_BUFFER).setLast(true));
    }

    void reset(int stream) throws IOException {
        write(new DefaultSpdyRstStreamFrame(stream, SpdyStreamStatus.CANCEL));
    }

    void pingAndAwaitAnswer() throws Exception {
        int before = pings;
        write(new DefaultSpdyPingFrame(1));
        await(() -> pings > before);
    }

    byte[] bytesToTheEnd(int stream) throws Exception {
        await(() -> ended.contains(stream));
        return stream(stream).toByteArray();
    }

    String textToTheEnd(int stream) throws Exception {
        return new String(bytesToTheEnd(stream), StandardCharsets.UTF_8);
    }

    void awaitText(int stream, String expected) throws Exception {
        await(() -> stream(stream).toString(StandardCharsets.UTF_8).contains(expected));
    }

    void awaitGoAway() throws Exception {
        await(() -> goneAway);
    }

    void awaitReset(int stream) throws Exception {
        await(() -> reset.contains(stream));
    }

    private synchronized void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WebSocketClient.PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0 || closed) {
                throw new AssertionError((closed ? "connection closed" : "timeout") + "; received " + received);
            }
            wait(left);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
        in.close();
    }
}
