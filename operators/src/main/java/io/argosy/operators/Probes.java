package io.argosy.operators;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What a kubelet and a Prometheus ask: {@code /readyz} says whether everything that is to be watched is watched, {@code /healthz} whether that
 * has been so within the last minutes, and {@code /metrics} what was done.
 */
final class Probes implements AutoCloseable {
    /** An API server may be away for a while, and comes back; a watch that stays away does not. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    private final HttpServer server;
    private final InstantSource clock;
    private BooleanSupplier healthy = () -> false;
    private Supplier<String> metrics = () -> "";
    private Instant lastHealthy;

    private Probes(HttpServer server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
        this.lastHealthy = clock.instant();
    }

    static Probes serve(InetSocketAddress address, InstantSource clock) throws IOException {
        HttpServer server = HttpServer.create(address, 0);
        Probes probes = new Probes(server, clock);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/healthz", exchange -> answer(exchange, probes.isAlive(), "ok"));
        server.createContext("/readyz", exchange -> answer(exchange, probes.isReady(), "watches"));
        server.createContext("/metrics", exchange -> answer(exchange, true, probes.metrics()));
        server.start();
        return probes;
    }

    /** Until it is told whom to ask, nothing is ready. */
    synchronized void tell(BooleanSupplier health, Supplier<String> counts) {
        healthy = health;
        metrics = counts;
    }

    private synchronized boolean isReady() {
        boolean ready = healthy.getAsBoolean();
        if (ready) {
            lastHealthy = clock.instant();
        }
        return ready;
    }

    private synchronized boolean isAlive() {
        return isReady() || clock.instant().isBefore(lastHealthy.plus(GRACE));
    }

    private synchronized String metrics() {
        return metrics.get();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, boolean good, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
        exchange.sendResponseHeaders(good ? 200 : 503, body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
