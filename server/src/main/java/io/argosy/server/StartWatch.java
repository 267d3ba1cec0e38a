package io.argosy.server;

import io.argosy.api.status.ApiException;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.argosy.server.rest.Health;

/** Sees when a start is over: when the first request has been answered by a server that is ready. From then on it costs a look at a flag. */
final class StartWatch implements HttpHandler {
    private final HttpHandler next;
    private final Health health;
    private final PostStartHooks hooks;

    StartWatch(HttpHandler next, Health health, PostStartHooks hooks) {
        this.next = next;
        this.health = health;
        this.hooks = hooks;
    }

    @Override
    public boolean streams(String path) {
        return next.streams(path);
    }

    /** Says nothing of a start: it may not wait, and who checks whether the server is ready may. */
    @Override
    public boolean tryFast(HttpCall call, HttpReply reply) {
        return next.tryFast(call, reply);
    }

    @Override
    public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
        try {
            next.handle(call, reply);
        } finally {
            if (!hooks.isOver() && health.isReady()) {
                hooks.run();
            }
        }
    }

    @Override
    public void unauthenticated(HttpCall call, ApiException refusal) {
        next.unauthenticated(call, refusal);
    }
}
