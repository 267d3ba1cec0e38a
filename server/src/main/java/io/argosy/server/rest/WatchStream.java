package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.protobuf.Envelope;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpReply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Watch events on their way to an HTTP client: a line of JSON each, or a frame of protobuf, around the object's own bytes. */
final class WatchStream implements Watches.Sink {
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);
    private static final Map<String, byte[]> HEADS = Map.of(
            "ADDED", head("ADDED"),
            "MODIFIED", head("MODIFIED"),
            "DELETED", head("DELETED"),
            "BOOKMARK", head("BOOKMARK"),
            "ERROR", head("ERROR"));

    private final HttpReply.Stream stream;
    private final ResourceType type;
    private final Frame frame;
    private final boolean protobuf;
    private final boolean whole;
    private boolean first = true;
    private volatile boolean gone;

    /** Shows an object in the form that was asked for. */
    interface Frame {
        byte[] show(byte[] json, boolean first);
    }

    /** Whole says that objects are shown as they are, not some part or table of them. */
    WatchStream(HttpReply.Stream stream, ResourceType type, Frame frame, boolean protobuf, boolean whole) {
        this.stream = stream;
        this.type = type;
        this.frame = frame;
        this.protobuf = protobuf;
        this.whole = whole;
    }

    @Override
    public boolean event(String kind, CachedObject object) throws InterruptedException {
        if (protobuf) {
            gone = !frame(kind, enveloped(kind, object));
            return !gone;
        }
        byte[] shown = frame.show(Reads.inVersion(object.json(), type), first);
        first = false;
        gone = !stream.write(HEADS.get(kind), shown, END);
        return !gone;
    }

    private List<byte[]> enveloped(String kind, CachedObject object) {
        boolean shared = whole && type.storedAsServed() && !kind.equals("BOOKMARK");
        return shared
                ? Protobuf.stored(object, type)
                : Protobuf.object(frame.show(Reads.inVersion(object.json(), type), false));
    }

    private boolean frame(String kind, List<byte[]> enveloped) throws InterruptedException {
        return stream.write(Envelope.watchFrame(kind, enveloped).toArray(byte[][]::new));
    }

    void error(byte[] status) throws InterruptedException {
        if (protobuf) {
            frame("ERROR", Protobuf.object(status));
            return;
        }
        stream.write(HEADS.get("ERROR"), status, END);
    }

    @Override
    public boolean gone() {
        return gone;
    }

    private static byte[] head(String kind) {
        return ("{\"type\":\"" + kind + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
    }
}
