package io.argosy.server.aggregation;

import io.argosy.api.time.Clock;
import io.argosy.server.http.HttpReply;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An answer that is wanted here and whole: in bounded memory, and given up when it takes too long. */
final class Collected implements HttpReply, AutoCloseable {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Map<String, String> headers = new TreeMap<>();
    private final int maxLength;
    private final Clock.Timer end;
    private volatile Runnable hangUp = () -> {};
    private int status;
    private boolean whole;

    /** How long somebody else may take is a matter of real time. */
    Collected(int maxLength, Duration patience) {
        this.maxLength = maxLength;
        this.end = Clock.system().schedule(patience, () -> hangUp.run());
    }

    int status() {
        return status;
    }

    byte[] body() {
        return body.toByteArray();
    }

    /** Whether the answer came to its end. */
    boolean isWhole() {
        return whole;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    @Override
    public void send(int code, Map<String, String> with, List<String> warnings, List<byte[]> pieces) {
        try (Stream stream = stream(code, with)) {
            stream.write(pieces.toArray(byte[][]::new));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Stream stream(int code, HttpHeaders with) {
        with.forEach(header -> headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
        return stream(code, Map.of());
    }

    @Override
    public Stream stream(int code, Map<String, String> with) {
        status = code;
        headers.putAll(with);
        return new Stream() {
            @Override
            public boolean write(byte[]... pieces) {
                for (byte[] piece : pieces) {
                    body.writeBytes(piece);
                }
                return body.size() <= maxLength;
            }

            @Override
            public void onGone(Runnable action) {
                hangUp = action;
            }

            @Override
            public void abort() {
                whole = false;
            }

            @Override
            public void close() {
                whole = true;
            }
        };
    }

    @Override
    public void onGone(Runnable action) {
        hangUp = action;
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        throw new IllegalStateException("nobody asked for another protocol");
    }

    @Override
    public void close() {
        end.cancel();
    }
}
