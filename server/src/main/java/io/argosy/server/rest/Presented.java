package io.argosy.server.rest;

import io.argosy.server.http.Gzip;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.http.Pretty;
import java.util.List;
import java.util.Map;

/** An answer as its client wants to see it: indented if it is JSON for people, compressed if it is long. Streams stay as they are. */
final class Presented extends PassedOnReply {
    private final boolean pretty;
    private final boolean compresses;

    private Presented(HttpReply reply, boolean pretty, boolean compresses) {
        super(reply);
        this.pretty = pretty;
        this.compresses = compresses;
    }

    /** The reply itself where the client wants nothing special, which is nearly always. */
    static HttpReply to(HttpCall call, HttpReply reply) {
        boolean pretty = Pretty.wanted(call.query(), call.headers());
        boolean compresses = Gzip.accepted(call.headers());
        return pretty || compresses ? new Presented(reply, pretty, compresses) : reply;
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        List<byte[]> shown = pieces;
        if (pretty && headers.getOrDefault("content-type", "").startsWith("application/json")) {
            shown = List.of(Pretty.indent(Represent.join(pieces)));
        }
        if (compresses && isLong(shown)) {
            super.send(status, Gzip.headers(headers), warnings, List.of(Gzip.compress(shown)));
        } else {
            super.send(status, headers, warnings, shown);
        }
    }

    private static boolean isLong(List<byte[]> pieces) {
        long length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        return length > Gzip.WORTH_IT;
    }
}
