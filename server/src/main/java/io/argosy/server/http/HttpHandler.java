package io.argosy.server.http;

/** Answers requests. */
public interface HttpHandler {
    /** Answers at once, on the network thread, if that needs no waiting; false leaves the request to {@link #handle}. */
    boolean tryFast(HttpCall call, HttpReply reply);

    /** Answers on a thread of its own, which may wait. */
    void handle(HttpCall call, HttpReply reply) throws InterruptedException;
}
