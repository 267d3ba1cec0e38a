package io.argosy.node.image;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.argosy.node.image.Manifests.Descriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A registry in this process that can lie, break off, ask for passwords and keep silent. */
final class FakeRegistry implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, byte[]> documents = new ConcurrentHashMap<>();
    private final Map<String, String> types = new ConcurrentHashMap<>();
    private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> cuts = new ConcurrentHashMap<>();
    final ConcurrentLinkedQueue<String> requests = new ConcurrentLinkedQueue<>();
    private final CountDownLatch firstRequest = new CountDownLatch(1);
    final CountDownLatch silence = new CountDownLatch(1);
    volatile String demand = "";
    volatile String silentBlob = "";
    volatile boolean silentAnswers;
    volatile boolean silentDocuments;

    FakeRegistry() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Publishes an image of these layers. */
    String image(String repository, String tag, List<Layers.Packed> layers, String manifestType) {
        List<String> diffIds = new ArrayList<>();
        List<Descriptor> descriptors = new ArrayList<>();
        layers.forEach(layer -> {
            byte[] compressed = layer.compressed();
            diffIds.add(Digests.of(layer.plain()));
            descriptors.add(new Descriptor(Manifests.OCI_LAYER + "+gzip", Digests.of(compressed), compressed.length));
            blobs.put(Digests.of(compressed), compressed);
        });
        byte[] config = Manifests.config(
                new ImageConfig(
                        List.of("A=b"), List.of("/bin/x"), List.of("y"), "", "/", "", List.of(), List.of(), Map.of()),
                diffIds);
        blobs.put(Digests.of(config), config);
        ObjectNode manifest = (ObjectNode) Manifests.tree(Manifests.manifest(
                new Descriptor(Manifests.OCI_CONFIG, Digests.of(config), config.length), descriptors));
        manifest.put("mediaType", manifestType);
        return document(repository, tag, Manifests.bytes(manifest), manifestType);
    }

    String document(String repository, String tag, byte[] bytes, String type) {
        String digest = Digests.of(bytes);
        for (String target : List.of(tag, digest)) {
            documents.put("/v2/" + repository + "/manifests/" + target, bytes);
            types.put("/v2/" + repository + "/manifests/" + target, type);
        }
        return digest;
    }

    /** An index that offers the digests for the given architectures. */
    String index(String repository, String tag, Map<String, String> byArchitecture) {
        ObjectNode index = Manifests.object();
        index.put("schemaVersion", 2);
        index.put("mediaType", Manifests.OCI_INDEX);
        ArrayNode list = index.putArray("manifests");
        byArchitecture.forEach((architecture, digest) -> {
            ObjectNode one = Manifests.node(new Descriptor(Manifests.OCI_MANIFEST, digest, 1));
            one.putObject("platform").put("os", "linux").put("architecture", architecture);
            list.add(one);
        });
        return document(repository, tag, Manifests.bytes(index), Manifests.OCI_INDEX);
    }

    /** Serves other bytes under a digest than it stands for. */
    void falsifyBlob(String digest, byte[] bytes) {
        blobs.put(digest, bytes);
    }

    void falsifyDocument(String repository, String target, byte[] bytes) {
        documents.put("/v2/" + repository + "/manifests/" + target, bytes);
    }

    /** Breaks the connection in the middle of the blob this many times. */
    void cut(String digest, int times) {
        cuts.put(digest, new AtomicInteger(times));
    }

    long requested(String part) {
        return requests.stream().filter(line -> line.contains(part)).count();
    }

    void awaitRequest() throws InterruptedException {
        firstRequest.await();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String range = exchange.getRequestHeaders().getFirst("Range");
        boolean silent = silentAnswers;
        boolean halfSilent = silentDocuments && documents.containsKey(path);
        requests.add(exchange.getRequestMethod() + " " + path + (range == null ? "" : " " + range));
        if (halfSilent) {
            exchange.sendResponseHeaders(200, documents.get(path).length);
            exchange.getResponseBody().flush();
        }
        firstRequest.countDown();
        if (silent || halfSilent) {
            await();
        }
        if (path.equals("/token")) {
            token(exchange);
        } else if (!admitted(exchange)) {
            exchange.getResponseHeaders().add("WWW-Authenticate", demand);
            answer(
                    exchange,
                    401,
                    "{\"errors\":[{\"code\":\"UNAUTHORIZED\",\"message\":\"who are you\"}]}"
                            .getBytes(StandardCharsets.UTF_8));
        } else if (documents.containsKey(path)) {
            exchange.getResponseHeaders().add("Content-Type", types.get(path));
            answer(exchange, 200, documents.get(path));
        } else if (path.contains("/blobs/") && blobs.containsKey(last(path))) {
            blob(exchange, last(path), range);
        } else {
            answer(exchange, 404, new byte[0]);
        }
    }

    private void token(HttpExchange exchange) throws IOException {
        String expected = "Basic " + Base64.getEncoder().encodeToString("me:secret".getBytes(StandardCharsets.UTF_8));
        boolean known = expected.equals(exchange.getRequestHeaders().getFirst("Authorization"));
        answer(exchange, known ? 200 : 401, "{\"token\":\"t0ken\"}".getBytes(StandardCharsets.UTF_8));
    }

    private boolean admitted(HttpExchange exchange) {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        if (demand.startsWith("Bearer")) {
            return "Bearer t0ken".equals(given);
        }
        if (demand.startsWith("Basic")) {
            String pair = Base64.getEncoder().encodeToString("me:secret".getBytes(StandardCharsets.UTF_8));
            return ("Basic " + pair).equals(given);
        }
        return true;
    }

    private void blob(HttpExchange exchange, String digest, String range) throws IOException {
        byte[] bytes = blobs.get(digest);
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-", "$1"));
        if (from > 0) {
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes " + from + "-" + (bytes.length - 1) + "/" + bytes.length);
        }
        exchange.sendResponseHeaders(from > 0 ? 206 : 200, bytes.length - from);
        AtomicInteger cut = cuts.get(digest);
        OutputStream out = exchange.getResponseBody();
        if (cut != null && cut.getAndDecrement() > 0) {
            out.write(bytes, from, (bytes.length - from) / 2);
            out.flush();
            exchange.close();
            return;
        }
        if (silentBlob.equals(digest)) {
            out.write(bytes, from, (bytes.length - from) / 2);
            out.flush();
            await();
        }
        out.write(bytes, from, bytes.length - from);
        exchange.close();
    }

    private void await() {
        try {
            silence.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] bytes) throws IOException {
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @Override
    public void close() {
        silence.countDown();
        server.stop(0);
    }
}
