package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.proxy.Lookups;
import io.argosy.server.registry.Registry;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks webhooks: one POST over HTTPS, in bounded time and memory. Redirections are not followed: nobody else is to see what is asked. */
public final class WebhookClient implements AutoCloseable {
    private static final int MAX_ANSWER = 16 << 20;

    private final Addresses addresses;
    private final Connections connections = new Connections(MAX_ANSWER);
    private final WebhookFaults faults;
    private final Clock clock;

    /** The clock is that of the world outside: how long another program may take is no matter of a cluster's own time. */
    public WebhookClient(Supplier<Registry> registry, WebhookFaults faults, Clock clock) {
        this.clock = clock;
        this.addresses = new Addresses(registry, new Lookups());
        this.faults = faults;
    }

    /** The same, of a webhook that is where the configuration says. */
    public JsonNode ask(String name, JsonNode clientConfig, ObjectNode question, Duration timeout)
            throws CallException {
        return ask(name, Target.of(clientConfig), question, timeout);
    }

    /**
     * Sends the question and waits for the answer.
     *
     * @param name what the webhook is called
     */
    JsonNode ask(String name, Target target, ObjectNode question, Duration timeout) throws CallException {
        String shown = "Post \"" + target.shown(timeout) + "\": ";
        Exchange.Answer answer;
        try {
            faults.strike(name);
            answer = post(target, Json.encode(question), timeout);
        } catch (CallException failed) {
            throw failed.attempted() ? new CallException(shown + failed.getMessage()) : failed;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CallException(shown + "context canceled");
        }
        if (answer.status() < 200 || answer.status() > 299) {
            throw Failures.ofStatus(answer.status(), answer.body());
        }
        try {
            return Json.decode(answer.body());
        } catch (IOException broken) {
            String message = String.valueOf(broken.getMessage());
            int end = message.indexOf('\n');
            throw new CallException(
                    "couldn't get version/kind; json parse error: " + (end < 0 ? message : message.substring(0, end)));
        }
    }

    private Exchange.Answer post(Target target, byte[] body, Duration timeout)
            throws CallException, InterruptedException {
        Instant deadline = clock.now().plus(timeout);
        Target.Peer peer = addresses.find(target, left(deadline));
        Channel kept = connections.kept(peer);
        if (kept != null) {
            try {
                return exchange(kept, peer, request(target, body, timeout), deadline);
            } catch (StaleException stale) {
                // the other side had ended the connection; this is no failure of the call
            }
        }
        Channel fresh = connections.open(peer, left(deadline));
        try {
            return exchange(fresh, peer, request(target, body, timeout), deadline);
        } catch (StaleException dropped) {
            throw new CallException("EOF");
        }
    }

    private long left(Instant deadline) {
        return Math.max(1, Duration.between(clock.now(), deadline).toMillis());
    }

    /** The connection ended before there was any answer. */
    private static final class StaleException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private Exchange.Answer exchange(Channel channel, Target.Peer peer, FullHttpRequest request, Instant deadline)
            throws CallException, InterruptedException, StaleException {
        CompletableFuture<Exchange.Answer> awaited = new CompletableFuture<>();
        Clock.Timer late = clock.schedule(
                Duration.between(clock.now(), deadline), () -> awaited.completeExceptionally(new TimeoutException()));
        try {
            Exchange.send(channel, request, awaited);
            Exchange.Answer answer = awaited.get();
            if (answer.keepAlive()) {
                connections.keep(peer, channel);
            } else {
                channel.close();
            }
            return answer;
        } catch (ExecutionException failed) {
            channel.close();
            Throwable cause = failed.getCause();
            if (cause instanceof TimeoutException) {
                throw new CallException(CallException.TIMED_OUT);
            }
            boolean ended = cause instanceof EOFException
                    || cause instanceof ClosedChannelException
                    || String.valueOf(cause.getMessage()).contains("Connection reset");
            if (ended) {
                throw new StaleException();
            }
            throw Failures.ofExchange(cause);
        } catch (InterruptedException interrupted) {
            channel.close();
            throw interrupted;
        } finally {
            late.cancel();
        }
    }

    private static FullHttpRequest request(Target target, byte[] body, Duration timeout) {
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, target.pathWithin(timeout), Unpooled.wrappedBuffer(body));
        request.headers()
                .set(HttpHeaderNames.HOST, target.host() + ":" + target.port())
                .set(HttpHeaderNames.USER_AGENT, "kube-apiserver-admission")
                .set(HttpHeaderNames.ACCEPT, "application/json, */*")
                .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return request;
    }

    @Override
    public void close() {
        connections.close();
    }
}
