package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpReply;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Watch events on their way to an HTTP client: one line of JSON each, around the object's own bytes. */
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
    private boolean first = true;
    private volatile boolean gone;

    /** Shows an object in the form that was asked for. */
    interface Frame {
        byte[] show(byte[] json, boolean first);
    }

    WatchStream(HttpReply.Stream stream, ResourceType type, Frame frame) {
        this.stream = stream;
        this.type = type;
        this.frame = frame;
    }

    @Override
    public boolean event(String kind, CachedObject object) throws InterruptedException {
        byte[] shown = frame.show(Reads.inVersion(object.json(), type), first);
        first = false;
        gone = !stream.write(HEADS.get(kind), shown, END);
        return !gone;
    }

    void error(byte[] status) throws InterruptedException {
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
