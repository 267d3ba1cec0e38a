package io.argosy.server.authn;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;

/** Finds out who sends a request. */
@FunctionalInterface
public interface Authenticator {
    /**
     * The user; {@link User#ANONYMOUS} if the request carries no credentials. Wrong credentials are refused with Unauthorized.
     *
     * @param connection the TLS connection the request came on
     */
    User authenticate(Channel connection, HttpHeaders headers);

    /** True if {@link #authenticate} may have to ask somebody else, and so is not for the network thread. */
    default boolean mayWait(Channel connection, HttpHeaders headers) {
        return false;
    }

    /** What the client should be told of its credentials, with whatever answer it gets. */
    default List<String> remarks(HttpHeaders headers, User user) {
        return List.of();
    }
}
