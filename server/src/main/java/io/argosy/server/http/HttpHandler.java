package io.argosy.server.http;

import io.argosy.api.status.ApiException;

/** Answers requests. */
public interface HttpHandler {
    /** Whether the body of a request for this path is to be read as it comes, however long it is; others are put together first. */
    default boolean streams(String path) {
        return false;
    }

    /** Answers at once, on the network thread, if that needs no waiting; false leaves the request to {@link #handle}. */
    boolean tryFast(HttpCall call, HttpReply reply);

    /** Answers on a thread of its own, which may wait. */
    void handle(HttpCall call, HttpReply reply) throws InterruptedException;

    /** Hears of a request of somebody who is not known; it is refused, and nobody stands in it as its user. */
    default void unauthenticated(HttpCall call, ApiException refusal) {}
}
