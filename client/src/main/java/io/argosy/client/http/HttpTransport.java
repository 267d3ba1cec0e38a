package io.argosy.client.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.model.Models;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ThreadLocalRandom;

/** The API over HTTPS, for programs outside the server's process; works against any Kubernetes. */
public final class HttpTransport implements ApiTransport, AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration TOKEN_KEPT = Duration.ofMinutes(1);
    /** A watch is asked to end after this or up to twice as long, so that many do not end together. */
    private static final Duration WATCH_LIFE = Duration.ofMinutes(5);
    /** A watch that has not ended so long after it should have has lost its server. */
    private static final Duration WATCH_MARGIN = Duration.ofSeconds(30);

    private final HttpClient http;
    private final Kubeconfig config;
    private final Clock clock;
    private volatile Shown shown;

    /** A token, and when it was read. */
    private record Shown(String token, Instant at) {}

    /** A door to the server that the configuration names; nothing is sent yet. */
    public HttpTransport(Kubeconfig config) throws IOException {
        this(config, Clock.system()); // how long a connection or a token is good is a matter of real time
    }

    HttpTransport(Kubeconfig config, Clock clock) throws IOException {
        this.config = config;
        this.clock = clock;
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT);
        if (config.server().getScheme().equals("https")) {
            builder.sslContext(Tls.context(config));
        }
        http = builder.build();
    }

    @Override
    public Response send(Request request) {
        HttpRequest call = prepare(request).timeout(REQUEST_TIMEOUT).build();
        try {
            HttpResponse<byte[]> response = http.send(call, HttpResponse.BodyHandlers.ofByteArray());
            if (response.statusCode() >= 300) {
                throw refusal(response.statusCode(), response.body());
            }
            return new Response(response.body(), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(call.method() + " " + call.uri() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + call.uri(), e);
        }
    }

    @Override
    public Watch watch(Request request, WatchSink sink) {
        Duration life = life(request);
        Map<String, String> query = new LinkedHashMap<>(request.query());
        query.put("timeoutSeconds", Long.toString(life.toSeconds()));
        OpenWatch watch = new OpenWatch(prepare(request.withQuery(query)).build(), sink);
        watch.start(life.plus(WATCH_MARGIN));
        return watch;
    }

    private static Duration life(Request request) {
        String asked = request.query().get("timeoutSeconds");
        return asked == null
                ? WATCH_LIFE.plusSeconds(ThreadLocalRandom.current().nextLong(WATCH_LIFE.toSeconds()))
                : Duration.ofSeconds(Long.parseLong(asked));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private HttpRequest.Builder prepare(Request request) {
        HttpRequest.Builder call = HttpRequest.newBuilder(address(request)).header("Accept", "application/json");
        String token = token();
        if (!token.isEmpty()) {
            call.header("Authorization", "Bearer " + token);
        }
        if (!request.contentType().isEmpty()) {
            call.header("Content-Type", request.contentType());
        }
        String method = switch (request.verb()) {
            case GET, LIST, WATCH -> "GET";
            case CREATE -> "POST";
            case UPDATE -> "PUT";
            case PATCH -> "PATCH";
            case DELETE, DELETE_COLLECTION -> "DELETE";
        };
        return call.method(
                method,
                request.body().length == 0
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofByteArray(request.body()));
    }

    /** Files of tokens are replaced long before the token lapses; one look a minute is soon enough. */
    private String token() {
        Instant now = clock.now();
        Shown known = shown;
        if (known == null || known.at().plus(TOKEN_KEPT).isBefore(now)) {
            try {
                known = new Shown(config.bearer(), now);
                shown = known;
            } catch (IOException unreadable) {
                throw new UncheckedIOException("the token cannot be read: " + unreadable.getMessage(), unreadable);
            }
        }
        return known.token();
    }

    private URI address(Request request) {
        StringBuilder path = new StringBuilder(config.server().toString().replaceAll("/+$", ""));
        path.append(request.groupVersion().group().isEmpty() ? "/api/" : "/apis/")
                .append(request.groupVersion());
        if (!request.namespace().isEmpty()) {
            path.append("/namespaces/").append(encode(request.namespace()));
        }
        path.append('/').append(request.resource());
        if (!request.name().isEmpty()) {
            path.append('/').append(encode(request.name()));
        }
        if (!request.subresource().isEmpty()) {
            path.append('/').append(request.subresource());
        }
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        for (Map.Entry<String, String> pair : request.query().entrySet()) {
            query.add(encode(pair.getKey()) + "=" + encode(pair.getValue()));
        }
        if (request.verb() == Verb.WATCH) {
            query.add("watch=true");
        }
        return URI.create(path + query.toString());
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static ApiException refusal(int code, byte[] body) {
        try {
            JsonNode status = Json.decode(body);
            if (status.path("kind").asText().equals("Status")) {
                return ApiException.fromStatus(status, code);
            }
        } catch (IOException e) {
            return new ApiException(Reason.InternalError, code, "HTTP " + code, ApiException.Details.NONE);
        }
        return new ApiException(Reason.InternalError, code, "HTTP " + code, ApiException.Details.NONE);
    }

    /** One watch: a virtual thread that reads events, a line each, until the stream ends or somebody closes it. */
    private final class OpenWatch implements Watch {
        private final HttpRequest call;
        private final WatchSink sink;
        private final Thread thread = Thread.ofVirtual()
                .name("watch")
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
        private volatile boolean closed;
        private Clock.Timer end;

        OpenWatch(HttpRequest call, WatchSink sink) {
            this.call = call;
            this.sink = sink;
        }

        /** Begins, and gives up when the time is over: a peer that vanished without a word would keep it waiting for ever. */
        void start(Duration longest) {
            end = clock.schedule(longest, this::close);
            thread.start();
        }

        @Override
        public void close() {
            closed = true;
            thread.interrupt();
        }

        private void run() {
            RuntimeException cause = null;
            try {
                read();
            } catch (RuntimeException e) {
                cause = e;
            } catch (IOException e) {
                cause = new UncheckedIOException("watch of " + call.uri() + ": " + e.getMessage(), e);
            } catch (InterruptedException e) {
                cause = new IllegalStateException("watch interrupted", e);
            }
            end.cancel();
            sink.closed(closed ? null : cause);
        }

        private void read() throws IOException, InterruptedException {
            HttpResponse<InputStream> response = http.send(call, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = new BufferedInputStream(response.body(), 1 << 16)) {
                if (response.statusCode() >= 300) {
                    throw refusal(response.statusCode(), body.readAllBytes());
                }
                ByteArrayOutputStream line = new ByteArrayOutputStream(4096);
                for (int next = body.read(); next >= 0; next = body.read()) {
                    if (next != '\n') {
                        line.write(next);
                    } else if (line.size() > 0) {
                        if (closed) {
                            return;
                        }
                        deliver(line.toByteArray());
                        line.reset();
                    }
                }
            }
        }

        /** Cuts the object out of the event's bytes instead of decoding and encoding it. */
        private void deliver(byte[] event) throws IOException {
            String type = "";
            byte[] object = new byte[0];
            try (JsonParser parser = Json.parser(event)) {
                parser.nextToken();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String field = parser.currentName();
                    parser.nextToken();
                    if (field.equals("type")) {
                        type = parser.getText();
                    } else if (field.equals("object")) {
                        int from = (int) parser.currentTokenLocation().getByteOffset();
                        parser.skipChildren();
                        object = Arrays.copyOfRange(
                                event, from, (int) parser.currentLocation().getByteOffset());
                    } else {
                        parser.skipChildren();
                    }
                }
            }
            if (type.equals("ERROR")) {
                throw ApiException.fromStatus(Json.decode(object), 500);
            }
            sink.event(type, object, Models.revisionOf(object));
        }
    }
}
