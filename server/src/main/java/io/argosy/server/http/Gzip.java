package io.argosy.server.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Long answers compressed, for clients that can read them so. */
public final class Gzip {
    /** Shorter answers are sent sooner than compressed. */
    public static final int WORTH_IT = 128 << 10;

    private Gzip() {}

    public static boolean accepted(HttpHeaders headers) {
        String accepted = headers.get("accept-encoding");
        if (accepted == null) {
            return false;
        }
        for (String encoding : accepted.split(",")) {
            if (encoding.strip().equals("gzip")) {
                return true;
            }
        }
        return false;
    }

    /** The headers of an answer whose body is compressed. */
    public static Map<String, String> headers(Map<String, String> plain) {
        Map<String, String> headers = new HashMap<>(plain);
        headers.put("content-encoding", "gzip");
        headers.merge("vary", "Accept-Encoding", (before, added) -> before + ", " + added);
        return headers;
    }

    public static byte[] compress(List<byte[]> pieces) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream(WORTH_IT);
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed, 8 << 10) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            for (byte[] piece : pieces) {
                gzip.write(piece);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException("memory is always writable", impossible);
        }
        return compressed.toByteArray();
    }
}
