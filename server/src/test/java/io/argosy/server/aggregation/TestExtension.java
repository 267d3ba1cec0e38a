package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** A real HTTPS server with an API of its own; it tells its callers what it was asked and by whom. */
final class TestExtension implements AutoCloseable {
    private final SSLServerSocket listening;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String root;
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch secondEvent = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile int discoveryStatus = 200;
    private volatile boolean silent;

    /** One that answers for a version, under a certificate for these names. */
    TestExtension(TestServer beside, String version, int port, String... names) throws Exception {
        root = "/apis/" + version;
        listening = (SSLServerSocket) beside.serverIdentity(names)
                .getServerSocketFactory()
                .createServerSocket(port, 64, InetAddress.getByName("127.0.0.1"));
        listening.setWantClientAuth(true);
        threads.execute(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Method and path of every request so far. */
    List<String> asked() {
        return asked;
    }

    void answerDiscoveryWith(int status) {
        discoveryStatus = status;
    }

    /** From now on it does not answer what it has in OpenAPI. */
    void hideDocuments() {
        silent = true;
    }

    void sendSecondEvent() {
        secondEvent.countDown();
    }

    private void accept() {
        try {
            while (true) {
                SSLSocket socket = (SSLSocket) listening.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException stopped) {
            // the end
        }
    }

    private void serve(SSLSocket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            String[] first = in.readLine().split(" ");
            Map<String, List<String>> headers = new TreeMap<>();
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                String[] parts = line.split(": ", 2);
                headers.computeIfAbsent(parts[0].toLowerCase(Locale.ROOT), n -> new CopyOnWriteArrayList<>())
                        .add(parts[1]);
            }
            char[] body = new char
                    [Integer.parseInt(
                            headers.getOrDefault("content-length", List.of("0")).getFirst())];
            for (int at = 0; at < body.length; ) {
                at += in.read(body, at, body.length - at);
            }
            asked.add(first[0] + " " + first[1]);
            answer(socket, in, first, headers, new String(body));
        } catch (IOException | InterruptedException gone) {
            // whoever asked has hung up
        }
    }

    private void answer(
            SSLSocket socket, BufferedReader in, String[] first, Map<String, List<String>> headers, String body)
            throws IOException, InterruptedException {
        OutputStream out = socket.getOutputStream();
        String path = first[1].split("\\?")[0];
        if (path.startsWith("/openapi") && silent) {
            closed.await();
        } else if (path.equals(root)) {
            send(out, discoveryStatus, resources());
        } else if (path.equals("/openapi/v2")) {
            send(out, 200, v2());
        } else if (path.equals("/openapi/v3")) {
            send(out, 200, """
                    {"paths":{"%s":{"serverRelativeURL":"/openapi/v3%s?hash=AB12"}}}""".formatted(root.substring(1), root));
        } else if (path.equals("/openapi/v3" + root)) {
            send(out, 200, "{\"openapi\":\"3.0.0\",\"paths\":{\"" + root + "/flunders\":{}}}");
        } else if (path.endsWith("/hang")) {
            closed.await();
        } else if (path.endsWith("/drop")) {
            socket.close();
        } else if (first[1].contains("watch=")) {
            watch(out);
        } else if (headers.containsKey("upgrade")) {
            upgrade(in, out, first[1]);
        } else {
            send(out, first[0].equals("POST") ? 201 : 200, told(socket, first, headers, body));
        }
    }

    private static String told(SSLSocket socket, String[] first, Map<String, List<String>> headers, String body) {
        ObjectNode told =
                Json.object().put("kind", "Flunder").put("method", first[0]).put("target", first[1]);
        told.put("body", body);
        ObjectNode got = told.putObject("headers");
        headers.forEach((name, values) -> got.put(name, String.join(",", values)));
        try {
            told.put("peer", socket.getSession().getPeerPrincipal().getName());
        } catch (SSLPeerUnverifiedException nobody) {
            told.put("peer", "");
        }
        return told.toString();
    }

    private void watch(OutputStream out) throws IOException, InterruptedException {
        out.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
        chunk(out, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"one\"}}}\n");
        secondEvent.await();
        chunk(out, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"two\"}}}\n");
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static void chunk(OutputStream out, String text) throws IOException {
        out.write((Integer.toHexString(text.length()) + "\r\n" + text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    /** Says each line again. */
    private static void upgrade(BufferedReader in, OutputStream out, String target) throws IOException {
        out.write(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: parrot\r\n\r\nparrot of "
                        + target + "\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        for (String line = in.readLine(); line != null && !line.equals("bye"); line = in.readLine()) {
            out.write((line + "!\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
    }

    private static void send(OutputStream out, int status, String json) throws IOException {
        out.write(("HTTP/1.1 " + status
                        + " Said\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: "
                        + json.length() + "\r\n\r\n" + json)
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private String resources() {
        return """
                {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"%s","resources":[
                 {"name":"flunders","singularName":"flunder","namespaced":true,"kind":"Flunder","shortNames":["fl"],
                  "verbs":["create","get","list","watch"]},
                 {"name":"flunders/exec","singularName":"","namespaced":true,"kind":"Flunder","verbs":["create","get"]}]}""".formatted(root.substring("/apis/".length()));
    }

    private String v2() {
        return """
                {"swagger":"2.0","info":{"title":"Wardle","version":"v0"},
                 "paths":{"%s/flunders":{"get":{"responses":{"200":{"description":"OK",
                          "schema":{"$ref":"#/definitions/com.example.Flunder"}}}}},
                          "/elsewhere":{"get":{"responses":{"200":{"description":"OK"}}}}},
                 "definitions":{
                  "com.example.Flunder":{"type":"object","properties":{
                    "metadata":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}},
                  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","description":"another"}}}""".formatted(root);
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        secondEvent.countDown();
        listening.close();
        threads.shutdownNow();
    }
}
