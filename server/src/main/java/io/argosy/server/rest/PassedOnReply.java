package io.argosy.server.rest;

import io.argosy.server.http.HttpReply;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;

/** Another's way back to the client: passes everything on, but for what a subclass has a word in. */
abstract class PassedOnReply implements HttpReply {
    private final HttpReply reply;

    PassedOnReply(HttpReply reply) {
        this.reply = reply;
    }

    @Override
    public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
        reply.send(status, headers, warnings, pieces);
    }

    @Override
    public void with(Map<String, String> headers) {
        reply.with(headers);
    }

    @Override
    public void warn(List<String> warnings) {
        reply.warn(warnings);
    }

    @Override
    public Stream stream(int status, Map<String, String> headers) {
        return reply.stream(status, headers);
    }

    @Override
    public Stream stream(int status, HttpHeaders headers) {
        return reply.stream(status, headers);
    }

    @Override
    public void onGone(Runnable action) {
        reply.onGone(action);
    }

    @Override
    public void upgrade(Upgrade upgrade) {
        reply.upgrade(upgrade);
    }
}
