package io.argosy.server.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A page of HTML on its way through the proxy: unpacked, and with its links changed. */
final class Page {
    private final Optional<EmbeddedChannel> unpacker;
    private final LinkRewriter links;

    private Page(Optional<EmbeddedChannel> unpacker, LinkRewriter links) {
        this.unpacker = unpacker;
        this.links = links;
    }

    /** The page that the headers announce, if it is one that can be read; they are then changed to what it will be. */
    static Optional<Page> of(HttpHeaders headers, UnaryOperator<String> change) {
        String type = headers.get("content-type", "").split(";", 2)[0].strip();
        String encoding = headers.get("content-encoding", "").strip().toLowerCase(Locale.ROOT);
        boolean readable = switch (encoding) {
            case "", "identity", "gzip", "deflate" -> true;
            default -> false;
        };
        if (!type.equalsIgnoreCase("text/html") || !readable) {
            return Optional.empty();
        }
        headers.remove("content-length").remove("content-encoding");
        Optional<EmbeddedChannel> unpacker = switch (encoding) {
            case "gzip" -> Optional.of(unpacker(ZlibWrapper.GZIP));
            case "deflate" -> Optional.of(unpacker(ZlibWrapper.ZLIB_OR_NONE));
            default -> Optional.empty();
        };
        return Optional.of(new Page(unpacker, new LinkRewriter(change)));
    }

    private static EmbeddedChannel unpacker(ZlibWrapper form) {
        return new EmbeddedChannel(ZlibCodecFactory.newZlibDecoder(form, 0));
    }

    /** As much of the page as is certain after these bytes; with the last ones all the rest of it. */
    byte[] next(byte[] bytes, boolean last) {
        byte[] plain = unpacker.map(channel -> unpack(channel, bytes, last)).orElse(bytes);
        byte[] certain = links.next(plain);
        if (!last) {
            return certain;
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(certain);
        all.writeBytes(links.rest());
        return all.toByteArray();
    }

    private static byte[] unpack(EmbeddedChannel channel, byte[] bytes, boolean last) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        if (last) {
            channel.finish();
        }
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            plain.writeBytes(ByteBufUtil.getBytes(part));
            part.release();
        }
        return plain.toByteArray();
    }
}
