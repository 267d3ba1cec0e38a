package io.argosy.junit.http;

import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import java.util.concurrent.atomic.AtomicBoolean;

/** fabric8's builder of clients; only interceptors and tags matter where there is no network. */
final class InProcessHttpBuilder
        extends StandardHttpClientBuilder<InProcessHttpClient, InProcessHttpFactory, InProcessHttpBuilder> {
    InProcessHttpBuilder(InProcessHttpFactory factory) {
        super(factory);
    }

    @Override
    public InProcessHttpClient build() {
        return new InProcessHttpClient(this, clientFactory, client == null ? new AtomicBoolean() : client.getClosed());
    }

    @Override
    protected InProcessHttpBuilder newInstance(InProcessHttpFactory factory) {
        return new InProcessHttpBuilder(factory);
    }
}
