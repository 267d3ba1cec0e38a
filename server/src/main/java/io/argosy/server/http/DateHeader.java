package io.argosy.server.http;

import io.argosy.api.time.Clock;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Says in every answer when it was given. One for all connections: the words are made once a second, however many answers there are. */
@Sharable
final class DateHeader extends ChannelOutboundHandlerAdapter {
    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private final Clock clock;
    private volatile Second latest = new Second(Long.MIN_VALUE, AsciiString.EMPTY_STRING);

    private record Second(long of, AsciiString words) {}

    DateHeader(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response && isDated(response)) {
            response.headers().set(HttpHeaderNames.DATE, now());
        }
        context.write(message, promise);
    }

    /** Not a word on the way, nor a handshake that is no HTTP any more; who passes an answer on leaves it its own date. */
    private static boolean isDated(HttpResponse response) {
        HttpResponseStatus status = response.status();
        if (status.equals(HttpResponseStatus.CONTINUE) || response.headers().contains(HttpHeaderNames.DATE)) {
            return false;
        }
        return !status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)
                || response.headers().get(HttpHeaderNames.UPGRADE, "").startsWith("SPDY/");
    }

    AsciiString now() {
        Instant now = clock.now();
        Second known = latest;
        if (known.of != now.getEpochSecond()) {
            known = new Second(now.getEpochSecond(), AsciiString.of(FORM.format(now)));
            latest = known; // two who make the same words at once do no harm
        }
        return known.words;
    }
}
