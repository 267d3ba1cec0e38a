package io.argosy.server.stream;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdyGoAwayFrame;
import io.netty.handler.codec.spdy.DefaultSpdyPingFrame;
import io.netty.handler.codec.spdy.DefaultSpdyRstStreamFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyGoAwayFrame;
import io.netty.handler.codec.spdy.SpdyHeaders;
import io.netty.handler.codec.spdy.SpdyHeadersFrame;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdySessionStatus;
import io.netty.handler.codec.spdy.SpdyStreamStatus;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams over SPDY/3.1: the client opens each with headers that say what it is for. SPDY's windows are left alone on purpose: the one
 * SPDY library of the field neither keeps nor opens them, so that who waits for a window update waits for ever; what holds a fast side back is TCP.
 */
final class SpdyCarrier extends Carrier {
    /** Open at the same time; each forwarded connection has two. */
    private static final int MAX_STREAMS = 2000;

    private static final Logger LOG = LoggerFactory.getLogger(SpdyCarrier.class);

    /** Told of each stream that the client opens, on the network thread; false refuses the stream. */
    private final Predicate<ClientStream> opened;

    private final Map<Integer, ClientStream> streams = new HashMap<>();
    private int lastStream;
    private int lastPing;
    private boolean clientLeaves;

    SpdyCarrier(Predicate<ClientStream> opened) {
        this.opened = opened;
    }

    @Override
    Collection<ClientStream> streams() {
        return List.copyOf(streams.values());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            switch (message) {
                case SpdyDataFrame data -> received(data);
                case SpdySynStreamFrame opening -> open(opening);
                case SpdyRstStreamFrame reset -> reset(reset.streamId());
                case SpdyHeadersFrame more -> endedBy(more.streamId(), more.isLast());
                case SpdyPingFrame ping -> answer(context, ping);
                case SpdyGoAwayFrame _ -> clientLeaves = true;
                default -> LOG.trace("ignored {}", message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void received(SpdyDataFrame data) {
        ClientStream stream = streams.get(data.streamId());
        if (stream == null) {
            return; // it ended on our side before the client knew
        }
        if (!finishing()) {
            stream.deliver(ByteBufUtil.getBytes(data.content()));
        }
        endedBy(data.streamId(), data.isLast());
    }

    private void open(SpdySynStreamFrame frame) {
        int id = frame.streamId();
        if (frame.isInvalid() || frame.isTruncated() || id <= lastStream || id % 2 == 0) {
            refuse(id, SpdyStreamStatus.PROTOCOL_ERROR);
            return;
        }
        lastStream = id;
        if (finishing() || clientLeaves || streams.size() >= MAX_STREAMS) {
            refuse(id, SpdyStreamStatus.REFUSED_STREAM);
            return;
        }
        Map<String, String> headers = new HashMap<>();
        frame.headers()
                .forEach(header -> headers.putIfAbsent(
                        header.getKey().toString().toLowerCase(Locale.ROOT),
                        header.getValue().toString()));
        ClientStream stream = new ClientStream(this, id, headers);
        streams.put(id, stream);
        context().writeAndFlush(accepted(id));
        if (!opened.test(stream)) {
            reset(id);
            refuse(id, SpdyStreamStatus.REFUSED_STREAM);
            return;
        }
        endedBy(id, frame.isLast());
    }

    /** With the headers that SPDY asks for; the codec would leave out the header block altogether if there were none, and clients choke. */
    private static SpdySynReplyFrame accepted(int id) {
        SpdySynReplyFrame reply = new DefaultSpdySynReplyFrame(id);
        reply.headers().set(SpdyHeaders.HttpNames.STATUS, "200").set(SpdyHeaders.HttpNames.VERSION, "HTTP/1.1");
        return reply;
    }

    private void refuse(int id, SpdyStreamStatus why) {
        context().writeAndFlush(new DefaultSpdyRstStreamFrame(id, why));
    }

    /** Breaks a stream off; on the network thread. */
    void abort(ClientStream stream) {
        if (streams.containsKey(stream.id())) {
            reset(stream.id());
            refuse(stream.id(), SpdyStreamStatus.CANCEL);
        }
    }

    private void reset(int id) {
        ClientStream stream = streams.remove(id);
        if (stream != null) {
            stream.cutOff();
        }
    }

    private void endedBy(int id, boolean last) {
        ClientStream stream = streams.get(id);
        if (last && stream != null) {
            stream.endInput();
            forgetIfFinished(stream);
        }
    }

    private void forgetIfFinished(ClientStream stream) {
        if (stream.finished()) {
            streams.remove(stream.id());
        }
    }

    private void answer(ChannelHandlerContext context, SpdyPingFrame ping) {
        if (ping.id() % 2 != 0) {
            context.writeAndFlush(new DefaultSpdyPingFrame(ping.id()));
        }
    }

    @Override
    int headroom() {
        return 0;
    }

    @Override
    SpdyDataFrame message(ClientStream stream, byte[] bytes) {
        return new DefaultSpdyDataFrame(stream.id(), Unpooled.wrappedBuffer(bytes));
    }

    @Override
    void sendEnd(ClientStream stream) {
        if (streams.containsKey(stream.id())) {
            context().writeAndFlush(new DefaultSpdyDataFrame(stream.id(), Unpooled.EMPTY_BUFFER).setLast(true));
            stream.endSent();
            forgetIfFinished(stream);
        }
    }

    @Override
    SpdyPingFrame probe() {
        lastPing += 2;
        return new DefaultSpdyPingFrame(lastPing);
    }

    @Override
    void sayGoodbye() {
        for (ClientStream stream : streams()) {
            if (stream.endOutput()) {
                sendEnd(stream);
            }
        }
        context().writeAndFlush(new DefaultSpdyGoAwayFrame(lastStream, SpdySessionStatus.OK));
    }
}
