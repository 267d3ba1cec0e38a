package io.argosy.store.etcd;

import io.argosy.store.Pause;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.options.GetOption;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to etcd. When it is lost, calls fail at once, and a new one is sought again and again; whoever follows etcd is then handed the new
 * client. A new client, rather than gRPC's own reconnection, because that waits longer and longer, up to two minutes.
 */
final class Connection implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);
    private static final Duration CALL_LIMIT = Duration.ofSeconds(20);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final int MAX_MESSAGE = 512 << 20;

    private static final ByteSequence NO_KEY = ByteSequence.from("\0", StandardCharsets.UTF_8);

    private final EtcdConfig config;
    private final Pause pause;
    private final Consumer<Client> connected;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Client client;
    private volatile boolean away;
    private volatile boolean closed;

    /** The listener hears of every client after the first, from the thread that found it. */
    Connection(EtcdConfig config, Pause pause, Consumer<Client> connected) {
        this.config = config;
        this.pause = pause;
        this.connected = connected;
        try {
            this.client = connect();
        } catch (CompletionException e) {
            throw EtcdErrors.explain(config, e);
        }
    }

    private Client connect() {
        Client made = build();
        try {
            made.getKVClient()
                    .get(NO_KEY, GetOption.builder().withCountOnly(true).build())
                    .orTimeout(CALL_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            return made;
        } catch (CompletionException e) {
            made.close();
            throw e;
        }
    }

    private Client build() {
        ClientBuilder builder = Client.builder()
                .endpoints(config.endpoints().toArray(String[]::new))
                .vertx(oneThread())
                .waitForReady(false)
                .connectTimeout(CALL_LIMIT)
                .keepaliveTime(Duration.ofSeconds(30))
                .keepaliveTimeout(CALL_LIMIT)
                .maxInboundMessageSize(MAX_MESSAGE);
        if (config.user() != null) {
            builder.user(ByteSequence.from(config.user(), StandardCharsets.UTF_8))
                    .password(ByteSequence.from(config.password(), StandardCharsets.UTF_8));
        }
        if (config.endpoints().stream().anyMatch(endpoint -> endpoint.startsWith("https:"))) {
            secure(builder);
        }
        return builder.build();
    }

    /** One for each client, because a client that closes closes it too. */
    private static Vertx oneThread() {
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setUseDaemonThread(true)
                .setBlockedThreadCheckInterval(TimeUnit.MINUTES.toMillis(10)));
    }

    private void secure(ClientBuilder builder) {
        try {
            builder.sslContext(tls -> {
                if (config.authority() != null) {
                    tls.trustManager(config.authority().toFile());
                }
                if (config.certificate() != null) {
                    File key = config.key() == null ? null : config.key().toFile();
                    tls.keyManager(config.certificate().toFile(), key);
                }
            });
        } catch (SSLException | IllegalArgumentException e) {
            throw new StoreException(
                    Reason.NO_PERMISSION,
                    "The certificates for etcd cannot be used (" + e.getMessage()
                            + "): look at the files that were named.",
                    e);
        }
    }

    Client client() {
        return client;
    }

    boolean away() {
        return away;
    }

    /** Asks etcd; fails at once while it is away, and with a {@link StoreException} only where no caller can make more of it. */
    <T> CompletableFuture<T> call(Function<KV, CompletableFuture<T>> request) {
        return ask(client -> request.apply(client.getKVClient()));
    }

    /** The same where it is not about keys and values. */
    <T> CompletableFuture<T> ask(Function<Client, CompletableFuture<T>> request) {
        return ask(request, true);
    }

    private <T> CompletableFuture<T> ask(Function<Client, CompletableFuture<T>> request, boolean again) {
        if (closed) {
            return CompletableFuture.failedFuture(closed());
        }
        if (away) {
            return CompletableFuture.failedFuture(EtcdErrors.away(config, null));
        }
        Client used = client;
        return request.apply(used)
                .orTimeout(CALL_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> {
                    if (again && EtcdErrors.isOldToken(failure)) {
                        return ask(request, false);
                    }
                    if (EtcdErrors.isAway(failure)) {
                        lost(used, failure);
                    }
                    return CompletableFuture.failedFuture(EtcdErrors.cause(failure));
                });
    }

    <T> T join(Function<KV, CompletableFuture<T>> request) {
        try {
            return call(request).join();
        } catch (CompletionException e) {
            throw closed ? closed() : EtcdErrors.explain(config, e);
        }
    }

    static StoreException closed() {
        return new StoreException(Reason.CLOSED, "The store is closed.", null);
    }

    /** Looks for a new way, unless this client is not the one in use any more or somebody already looks. */
    void lost(Client which, Throwable why) {
        lock.lock();
        try {
            if (closed || away || which != client) {
                return;
            }
            away = true;
        } finally {
            lock.unlock();
        }
        log.warn("etcd at {} is away: {}", config.where(), EtcdErrors.cause(why).getMessage());
        Thread.ofVirtual().name("etcd-connect").start(this::seek);
    }

    private void seek() {
        try {
            while (!closed) {
                if (somebodyListens()) {
                    try {
                        found(connect());
                        return;
                    } catch (CompletionException | StoreException stillAway) {
                        log.debug("etcd is still away", stillAway);
                    }
                }
                pause.of(RETRY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks before a client is made, which costs much more. */
    private boolean somebodyListens() {
        for (String endpoint : config.endpoints()) {
            URI uri = URI.create(endpoint);
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), (int) CONNECT_LIMIT.toMillis());
                return true;
            } catch (IOException nobody) {
                log.debug("{} does not listen", endpoint, nobody);
            }
        }
        return false;
    }

    private void found(Client fresh) {
        Client old;
        lock.lock();
        try {
            if (closed) {
                fresh.close();
                return;
            }
            old = client;
            client = fresh;
            away = false;
        } finally {
            lock.unlock();
        }
        old.close();
        log.info("etcd at {} is back", config.where());
        connected.accept(fresh);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        client.close();
    }
}
