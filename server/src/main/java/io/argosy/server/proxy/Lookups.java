package io.argosy.server.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Finds hosts by their names without waiting longer than the caller has. Whoever asks for a host while it is being looked up waits for the
 * same answer. Threads of their own do it, because a resolver that does not answer holds the thread that asks it.
 */
public final class Lookups {
    private static final Pattern LITERAL = Pattern.compile("[0-9.]+|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*]?");

    private final ServiceEndpoints.Resolver resolver;
    private final Map<String, CompletableFuture<InetSocketAddress>> running = new ConcurrentHashMap<>();

    public Lookups() {
        this(ServiceEndpoints::resolved);
    }

    Lookups(ServiceEndpoints.Resolver resolver) {
        this.resolver = resolver;
    }

    /** Who finds hosts for somebody who has so much time. */
    public ServiceEndpoints.Resolver within(long millis) {
        return (host, port) ->
                LITERAL.matcher(host).matches() ? ServiceEndpoints.resolved(host, port) : within(millis, host, port);
    }

    InetSocketAddress within(long millis, String host, int port) throws IOException {
        String key = host + " " + port;
        CompletableFuture<InetSocketAddress> answer = running.computeIfAbsent(key, k -> begin(host, port));
        answer.whenComplete((found, failed) -> running.remove(key, answer));
        try {
            return answer.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new IOException("context deadline exceeded", late);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException unknown ? unknown : new IOException(failed.getCause());
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new IOException("context canceled", end);
        }
    }

    private CompletableFuture<InetSocketAddress> begin(String host, int port) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return resolver.find(host, port);
                    } catch (IOException unknown) {
                        throw new CompletionException(unknown);
                    }
                },
                task -> Thread.ofPlatform().daemon().name("host-lookup").start(task));
    }
}
