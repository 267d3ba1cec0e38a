package io.argosy.junit.http;

import io.argosy.server.http.HttpHandler;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.util.function.Supplier;

/** Makes fabric8 clients talk to a server of the same process, without a network; the handler is null while there is no server. */
public final class InProcessHttpFactory implements HttpClient.Factory {
    private final Supplier<HttpHandler> server;

    public InProcessHttpFactory(Supplier<HttpHandler> server) {
        this.server = server;
    }

    @Override
    public InProcessHttpBuilder newBuilder() {
        return new InProcessHttpBuilder(this);
    }

    HttpHandler server() {
        return server.get();
    }
}
