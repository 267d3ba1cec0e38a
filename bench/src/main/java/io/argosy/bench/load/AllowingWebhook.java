package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A validating webhook on this machine that has nothing against anything: what is left is what asking costs. */
public final class AllowingWebhook implements AutoCloseable {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "webhook";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpsServer server;
    private final String authority;

    /** The folder is for its key. */
    public AllowingWebhook(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        Path file = folder.resolve("webhook.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process making = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=webhook",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(making.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (making.waitFor() != 0) {
            throw new IOException("no certificate was made: " + said);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        authority = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(store.getCertificate(ALIAS).getEncoded())
                + "\n-----END CERTIFICATE-----\n";
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.setExecutor(threads);
        server.createContext("/", AllowingWebhook::answer);
        server.start();
    }

    /** As a webhook's clientConfig. */
    public String clientConfig() {
        String bundle = Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII));
        return "{\"url\":\"https://127.0.0.1:%d/\",\"caBundle\":\"%s\"}"
                .formatted(server.getAddress().getPort(), bundle);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode review = Json.decode(exchange.getRequestBody().readAllBytes());
            ObjectNode answer = Json.object();
            answer.set("apiVersion", review.path("apiVersion"));
            answer.set("kind", review.path("kind"));
            ObjectNode response = answer.putObject("response").put("allowed", true);
            response.set("uid", review.path("request").path("uid"));
            byte[] body = Json.encode(answer);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
