package io.argosy.node.image;

import io.argosy.node.image.RegistryConfig.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Speaks the OCI distribution protocol with one registry about one repository, for as long as one pull or push takes;
 * afterwards nothing of it stays in memory.
 */
final class RegistryClient implements AutoCloseable {
    private static final int MAX_DOCUMENT = 8 << 20;
    private static final int MAX_REDIRECTS = 5;

    private final Endpoint endpoint;
    private final RegistryTimeouts timeouts;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http;
    private final RegistryAuth auth;

    RegistryClient(Endpoint endpoint, RegistryTimeouts timeouts) {
        this.endpoint = endpoint;
        this.timeouts = timeouts;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .executor(executor)
                .connectTimeout(timeouts.connect())
                .followRedirects(HttpClient.Redirect.NEVER);
        if ("http".equals(endpoint.base().getScheme())) {
            builder.version(HttpClient.Version.HTTP_1_1);
        }
        RegistryTrust.of(endpoint).ifPresent(builder::sslContext);
        this.http = builder.build();
        this.auth = new RegistryAuth(endpoint.base(), endpoint.credentials(), this::fetchToken);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** A document with its digest, as computed from its bytes. */
    @SuppressWarnings("ArrayRecordComponent")
    record Document(byte[] bytes, String mediaType, String digest) {}

    /** A blob's bytes from an offset on, which may be earlier than the one asked for. */
    record Body(InputStream stream, long offset) {}

    /** Fetches a manifest or index by tag or digest, and checks that it is what its name says. */
    Document manifest(String target) {
        Answer answer = send("GET", address("manifests/" + target), Map.of("Accept", Manifests.ACCEPT), null, "pull");
        expect(answer, 200);
        byte[] bytes = document(answer);
        String digest = Digests.of(bytes);
        String told = answer.header("Docker-Content-Digest").orElse(digest);
        boolean byDigest = ImageReference.isDigest(target);
        boolean asTold = !ImageReference.isDigest(told) || told.equals(digest);
        if (!asTold || (byDigest && !digest.equals(target))) {
            throw failure(
                    ImageException.Kind.CORRUPT,
                    "unexpected manifest digest " + digest + ", expected " + (byDigest ? target : told)
                            + ": failed precondition");
        }
        String type = answer.header("Content-Type").orElse("").split(";", 2)[0].strip();
        return new Document(bytes, type, digest);
    }

    /** Fetches a blob small enough to be held in memory, and checks its digest. */
    byte[] smallBlob(Manifests.Descriptor blob) {
        Answer answer = send("GET", address("blobs/" + blob.digest()), Map.of(), null, "pull");
        expect(answer, 200);
        byte[] bytes = document(answer);
        String digest = Digests.of(bytes);
        if (!digest.equals(blob.digest())) {
            throw failure(
                    ImageException.Kind.CORRUPT,
                    "unexpected commit digest " + digest + ", expected " + blob.digest() + ": failed precondition");
        }
        return bytes;
    }

    /** Opens a blob from an offset on; a registry that knows no ranges starts anew. */
    Body blob(String digest, long offset) {
        Map<String, String> range = offset > 0 ? Map.of("Range", "bytes=" + offset + "-") : Map.of();
        Answer answer = send("GET", address("blobs/" + digest), range, null, "pull");
        if (answer.status() == 206 && offset > 0) {
            String expected = "bytes " + offset + "-";
            if (answer.header("Content-Range").orElse("").startsWith(expected)) {
                return new Body(answer.body(), offset);
            }
            answer.discard();
            return blob(digest, 0);
        }
        if (answer.status() == 416 && offset > 0) {
            answer.discard();
            return blob(digest, 0);
        }
        expect(answer, 200);
        return new Body(answer.body(), 0);
    }

    boolean hasBlob(String digest) {
        Answer answer = send("HEAD", address("blobs/" + digest), Map.of(), null, "pull,push");
        answer.discard();
        if (answer.status() == 404) {
            return false;
        }
        expect(answer, 200);
        return true;
    }

    void pushBlob(String digest, Path file) {
        Answer start = send("POST", address("blobs/uploads/"), Map.of(), BodyPublishers.noBody(), "pull,push");
        expect(start, 202);
        start.discard();
        URI location = start.location()
                .orElseThrow(() ->
                        failure(ImageException.Kind.UNAVAILABLE, "the registry opened an upload without saying where"));
        String joint = location.getRawQuery() == null ? "?" : "&";
        URI target = URI.create(location + joint + "digest=" + digest);
        try {
            Answer end = send(
                    "PUT",
                    target,
                    Map.of("Content-Type", "application/octet-stream"),
                    BodyPublishers.ofFile(file),
                    "pull,push");
            expect(end, 201);
            end.discard();
        } catch (IOException e) {
            throw new ImageException(ImageException.Kind.STORAGE, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    void pushManifest(String target, String mediaType, byte[] bytes) {
        Answer answer = send(
                "PUT",
                address("manifests/" + target),
                Map.of("Content-Type", mediaType),
                BodyPublishers.ofByteArray(bytes),
                "pull,push");
        expect(answer, 201);
        answer.discard();
    }

    private URI address(String rest) {
        return URI.create(endpoint.base() + "/v2/" + endpoint.repository() + "/" + rest);
    }

    private Answer send(String method, URI address, Map<String, String> headers, BodyPublisher body, String actions) {
        String scope = "repository:" + endpoint.repository() + ":" + actions;
        Answer answer = follow(method, address, headers, body, auth.header(scope));
        if (answer.status() == 401) {
            answer.discard();
            if (auth.answer(answer.headers("WWW-Authenticate"), scope)) {
                answer = follow(method, address, headers, body, auth.header(scope));
            }
        }
        return answer;
    }

    /** Sends, going where the registry points to; the password never goes to another host than the registry's. */
    private Answer follow(
            String method, URI address, Map<String, String> headers, BodyPublisher body, Optional<String> login) {
        URI target = address;
        for (int hop = 0; hop <= MAX_REDIRECTS; hop++) {
            boolean home = endpoint.base().getRawAuthority().equals(target.getRawAuthority());
            Answer answer = exchange(method, target, headers, body, home ? login : Optional.empty());
            boolean redirect = answer.status() >= 301 && answer.status() <= 308 && answer.status() != 304;
            Optional<URI> next = answer.location();
            if (!redirect || next.isEmpty()) {
                return answer;
            }
            answer.discard();
            if ("https".equals(target.getScheme()) && !"https".equals(next.get().getScheme())) {
                throw failure(ImageException.Kind.UNAVAILABLE, "redirect from HTTPS to " + next.get() + " refused");
            }
            target = next.get();
        }
        throw failure(ImageException.Kind.UNAVAILABLE, "stopped after " + MAX_REDIRECTS + " redirects");
    }

    private Answer exchange(
            String method, URI address, Map<String, String> headers, BodyPublisher body, Optional<String> login) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .timeout(body != null && body.contentLength() > MAX_DOCUMENT ? uploadTime(body) : timeouts.answer())
                .header("User-Agent", "argosy")
                .method(method, body == null ? BodyPublishers.noBody() : body);
        headers.forEach(request::header);
        login.ifPresent(value -> request.header("Authorization", value));
        try {
            HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
            return new Answer(response, timeouts);
        } catch (InterruptedException e) {
            throw SingleFlight.Interrupted.now(e);
        } catch (IOException e) {
            SingleFlight.Interrupted.check(e);
            throw new ImageException(ImageException.Kind.UNAVAILABLE, endpoint.base() + ": " + describe(address, e), e);
        }
    }

    /** The answer to an upload begins only when all of it went out: allow for a line of 1 MB/s. */
    private java.time.Duration uploadTime(BodyPublisher body) {
        return timeouts.answer().plusSeconds(body.contentLength() >> 20);
    }

    private static String describe(URI address, IOException failure) {
        String to = "dial tcp " + address.getRawAuthority() + ": ";
        return switch (failure) {
            case HttpConnectTimeoutException e -> to + "i/o timeout";
            case HttpTimeoutException e -> "no answer from " + address.getRawAuthority() + ": i/o timeout";
            case ConnectException e
            when e.getCause() instanceof UnresolvedAddressException -> "lookup " + address.getHost() + ": no such host";
            case ConnectException e -> to + "connect: connection refused";
            default -> String.valueOf(failure.getMessage());
        };
    }

    private byte[] fetchToken(URI address, Optional<String> login) {
        Answer answer = exchange("GET", address, Map.of(), null, login);
        if (answer.status() != 200) {
            answer.discard();
            throw failure(
                    ImageException.Kind.UNAUTHORIZED,
                    "failed to authorize: failed to fetch " + (login.isEmpty() ? "anonymous " : "oauth ")
                            + "token: unexpected status " + answer.status() + " from " + address.getHost());
        }
        return document(answer);
    }

    private byte[] document(Answer answer) {
        OptionalLong told = answer.length();
        try (InputStream in = answer.body()) {
            byte[] bytes = in.readNBytes(MAX_DOCUMENT + 1);
            if (bytes.length > MAX_DOCUMENT || told.orElse(0) > MAX_DOCUMENT) {
                throw failure(ImageException.Kind.TOO_LARGE, "a document of more than " + MAX_DOCUMENT + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            SingleFlight.Interrupted.check(e);
            throw new ImageException(ImageException.Kind.UNAVAILABLE, endpoint.base() + ": " + e.getMessage(), e);
        }
    }

    private void expect(Answer answer, int status) {
        if (answer.status() == status) {
            return;
        }
        String told = answer.complaint();
        throw switch (answer.status()) {
            case 404 -> failure(ImageException.Kind.NOT_FOUND, "not found");
            case 401, 403 ->
                failure(
                        ImageException.Kind.UNAUTHORIZED,
                        "pull access denied, repository does not exist or may require authorization: "
                                + (answer.status() == 401 ? "401 Unauthorized" : "403 Forbidden") + told);
            case 429 -> failure(ImageException.Kind.UNAVAILABLE, "429 Too Many Requests" + told);
            default ->
                failure(
                        answer.status() >= 500 ? ImageException.Kind.UNAVAILABLE : ImageException.Kind.UNSUPPORTED,
                        "unexpected status code " + answer.status() + told);
        };
    }

    private ImageException failure(ImageException.Kind kind, String what) {
        return new ImageException(kind, endpoint.base() + ": " + what);
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
        executor.close();
    }
}
