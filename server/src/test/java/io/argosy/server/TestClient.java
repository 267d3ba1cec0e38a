package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.json.Json;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;

/** Sends requests as a client of the API does, and reads the answers as trees. */
public final class TestClient {
    public static final String JSON_PATCH = "application/json-patch+json";
    public static final String MERGE_PATCH = "application/merge-patch+json";
    public static final String STRATEGIC = "application/strategic-merge-patch+json";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String base;
    private final HttpClient http;

    /** An answer; the body is missing where it is neither JSON nor protobuf. */
    public record Reply(int status, JsonNode body, String text, HttpHeaders headers) {
        public String reason() {
            return body.path("reason").asText();
        }

        public String message() {
            return body.path("message").asText();
        }

        public JsonNode at(String path) {
            return body.at(path);
        }

        public String version() {
            return body.at("/metadata/resourceVersion").asText();
        }

        public String name() {
            return body.at("/metadata/name").asText();
        }

        public Reply is(int expected) {
            assertThat(status).as(() -> "status of " + text).isEqualTo(expected);
            return this;
        }

        /** The names of the items of a list. */
        /** What is wrong with the object, as field and words. */
        public List<String> causes() {
            List<String> causes = new ArrayList<>();
            is(422).at("/details/causes")
                    .forEach(cause -> causes.add(cause.path("field").asText() + ": "
                            + cause.path("message").asText()));
            return causes;
        }

        public List<String> names() {
            List<String> names = new ArrayList<>();
            body.path("items")
                    .forEach(item -> names.add(item.at("/metadata/name").asText()));
            return names;
        }
    }

    public TestClient(InetSocketAddress server, SSLContext identity, Version version) {
        base = "https://127.0.0.1:" + server.getPort();
        http = HttpClient.newBuilder().sslContext(identity).version(version).build();
    }

    public Reply send(String method, String path, String contentType, byte[] body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE);
        if (!contentType.isEmpty()) {
            request.header("Content-Type", contentType);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        request.method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        try {
            HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
            String text = new String(response.body(), StandardCharsets.UTF_8);
            return new Reply(response.statusCode(), tree(response.body()), text, response.headers());
        } catch (IOException failed) {
            throw new UncheckedIOException(method + " " + path, failed);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static JsonNode tree(byte[] body) {
        try {
            if (Envelope.isEnveloped(body)) {
                return ProtobufDecoder.decode(body);
            }
            return body.length == 0 ? MissingNode.getInstance() : Json.decode(body);
        } catch (IOException noJson) {
            return MissingNode.getInstance();
        }
    }

    /** Opens a WebSocket, in one of the protocols if there are any; what comes goes to the listener. */
    public WebSocket socket(String path, WebSocket.Listener listener, String... protocols) {
        WebSocket.Builder builder = http.newWebSocketBuilder();
        if (protocols.length > 0) {
            builder.subprotocols(protocols[0], Arrays.copyOfRange(protocols, 1, protocols.length));
        }
        return builder.buildAsync(URI.create(base.replace("https:", "wss:") + path), listener)
                .join();
    }

    public Reply get(String path, String... headers) {
        return send("GET", path, "", new byte[0], headers);
    }

    /** Asks again and again until the answer is like that. */
    public Reply await(String path, Predicate<Reply> condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Reply reply = get(path);
        while (!condition.test(reply)) {
            assertThat(System.nanoTime())
                    .as("waited in vain, at last for %s", reply.text())
                    .isLessThan(deadline);
            LockSupport.parkNanos(200_000);
            reply = get(path);
        }
        return reply;
    }

    public Reply post(String path, String json, String... headers) {
        return send("POST", path, "application/json", bytes(json), headers);
    }

    /** Creates, and expects that to work. */
    public Reply create(String path, String json) {
        return post(path, json).is(201);
    }

    public Reply put(String path, String json) {
        return send("PUT", path, "application/json", bytes(json));
    }

    public Reply put(String path, JsonNode body) {
        return put(path, body.toString());
    }

    public Reply patch(String path, String type, String patch) {
        return send("PATCH", path, type, bytes(patch));
    }

    public Reply delete(String path) {
        return send("DELETE", path, "", new byte[0]);
    }

    public Reply delete(String path, String options) {
        return send("DELETE", path, "application/json", bytes(options));
    }

    /** Tests write JSON with single quotes, for the eye. */
    private static byte[] bytes(String text) {
        String json = text.indexOf('"') < 0 ? text.replace('\'', '"') : text;
        return json.getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a watch, whose events are read one by one. */
    public Events watch(String path, String... headers) {
        return new Events(open(path, headers));
    }

    /** Opens a stream of bytes, to be read as they come. */
    public HttpResponse<InputStream> open(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofInputStream());
        } catch (IOException failed) {
            throw new UncheckedIOException("watch " + path, failed);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** The events of a watch. */
    public static final class Events implements AutoCloseable {
        private static final String END = "";

        private final HttpResponse<InputStream> response;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

        Events(HttpResponse<InputStream> response) {
            this.response = response;
            Thread.ofVirtual().start(() -> {
                try (BufferedReader reader =
                        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                    String line = reader.readLine();
                    while (line != null) {
                        lines.add(line);
                        line = reader.readLine();
                    }
                } catch (IOException closed) {
                    // ends the watch like any other end
                }
                lines.add(END);
            });
        }

        public int status() {
            return response.statusCode();
        }

        /** The next event; missing at the end of the watch. */
        public JsonNode next() {
            try {
                String line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(line).as("an event or the end of the watch").isNotNull();
                return line.isEmpty() ? MissingNode.getInstance() : Json.decode(bytes(line));
            } catch (IOException | InterruptedException failed) {
                throw new IllegalStateException(failed);
            }
        }

        /** The next event in short: {@code ADDED name}. */
        public String shown() {
            JsonNode event = next();
            return event.isMissingNode()
                    ? "END"
                    : event.path("type").asText() + " "
                            + event.at("/object/metadata/name").asText();
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException alreadyClosed) {
                throw new UncheckedIOException(alreadyClosed);
            }
        }
    }
}
