package io.argosy.server.audit;

import io.argosy.api.time.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts events to somebody else, many at once. Requests do not wait for it: events wait in a buffer of bounded size, and what does not fit is
 * dropped and counted. Sizes and times are those of upstream's batching webhook.
 */
final class WebhookSink implements AuditSink {
    static final int MAX_BUFFERED = 10_000;
    static final int MAX_BATCH = 400;

    private static final Logger LOG = LoggerFactory.getLogger(WebhookSink.class);
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final double PAUSE_GROWTH = 1.5;
    private static final int ATTEMPTS = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(5);

    private static final byte[] HEAD =
            "{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\",\"metadata\":{},\"items\":["
                    .getBytes(StandardCharsets.US_ASCII);

    private final WebhookConfig config;
    private final Clock clock;
    private final AuditErrors errors;
    private final HttpClient client;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition due = lock.newCondition();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private final Thread sending;
    private boolean waited;
    private boolean closed;
    private boolean dropping;

    private WebhookSink(WebhookConfig config, Clock clock, AuditErrors errors) {
        this.config = config;
        this.clock = clock;
        this.errors = errors;
        this.client = HttpClient.newBuilder()
                .sslContext(config.tls())
                .connectTimeout(TIMEOUT)
                .build();
        this.sending = Thread.ofVirtual().name("audit-webhook").start(this::run);
    }

    static WebhookSink open(Path kubeconfig, Clock clock, AuditErrors errors) {
        return new WebhookSink(WebhookConfig.read(kubeconfig), clock, errors);
    }

    @Override
    public void write(byte[] event) {
        lock.lock();
        try {
            if (waiting.size() >= MAX_BUFFERED) {
                errors.lost("buffered", 1);
                if (!dropping) {
                    LOG.error("Audit events are dropped: {} does not take them as fast as they come", config.server());
                }
                dropping = true;
                return;
            }
            dropping = false;
            waiting.add(event);
            if (waiting.size() == 1) {
                clock.schedule(MAX_WAIT, this::waitedEnough);
            }
            if (waiting.size() >= MAX_BATCH) {
                due.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void waitedEnough() {
        lock.lock();
        try {
            waited = true;
            due.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (List<byte[]> batch = next(); !batch.isEmpty(); batch = next()) {
                send(batch);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            errors.lost("webhook", waiting.size());
        } finally {
            lock.unlock();
        }
    }

    /** Waits for as many as go at once, or for those that have waited long enough; none at the end. */
    private List<byte[]> next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && waiting.size() < MAX_BATCH && !(waited && !waiting.isEmpty())) {
                due.await();
            }
            List<byte[]> batch = new ArrayList<>();
            while (!waiting.isEmpty() && batch.size() < MAX_BATCH) {
                batch.add(waiting.poll());
            }
            waited = false;
            if (!waiting.isEmpty()) {
                clock.schedule(MAX_WAIT, this::waitedEnough);
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void send(List<byte[]> batch) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(config.server())
                .timeout(TIMEOUT)
                .header("content-type", "application/json")
                .header("user-agent", "argosy-audit")
                .POST(BodyPublishers.ofByteArray(body(batch)));
        if (!config.authorization().isEmpty()) {
            request.header("authorization", config.authorization());
        }
        Duration pause = FIRST_PAUSE;
        String why = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try {
                HttpResponse<Void> answer = client.send(request.build(), BodyHandlers.discarding());
                if (answer.statusCode() / 100 == 2) {
                    return;
                }
                why = "it answered " + answer.statusCode();
            } catch (IOException failed) {
                why = String.valueOf(failed.getMessage());
            }
            if (isClosed()) {
                break; // who stops does not wait for somebody who is away
            }
            if (attempt < ATTEMPTS) {
                rest(pause);
                pause = Duration.ofMillis((long) (pause.toMillis() * PAUSE_GROWTH));
            }
        }
        errors.lost("webhook", batch.size());
        LOG.error("{} audit events could not be posted to {}: {}", batch.size(), config.server(), why);
    }

    /** Waits, unless it is the end. */
    private void rest(Duration time) throws InterruptedException {
        boolean[] over = new boolean[1];
        Clock.Timer timer = clock.schedule(time, () -> {
            lock.lock();
            try {
                over[0] = true;
                due.signalAll();
            } finally {
                lock.unlock();
            }
        });
        lock.lockInterruptibly();
        try {
            while (!over[0] && !closed) {
                due.await();
            }
        } finally {
            lock.unlock();
            timer.cancel();
        }
    }

    private static byte[] body(List<byte[]> batch) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(HEAD);
        for (int i = 0; i < batch.size(); i++) {
            if (i > 0) {
                body.write(',');
            }
            body.writeBytes(batch.get(i));
        }
        body.write(']');
        body.write('}');
        return body.toByteArray();
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Posts what waits, if that is quickly done. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            due.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            if (!sending.join(LAST_PATIENCE)) {
                sending.interrupt();
                sending.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.shutdownNow();
    }
}
