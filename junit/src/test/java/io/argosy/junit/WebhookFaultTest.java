package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A webhook that a test lets fail. */
@ArgosyTest(nodes = 1)
class WebhookFaultTest {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final Pattern UID = Pattern.compile("\"uid\":\"([^\"]+)\"");

    private final AtomicInteger asked = new AtomicInteger();
    private HttpsServer server;
    private String authority;

    @BeforeEach
    void aWebhookThatAllowsEverything(@TempDir Path folder) throws Exception {
        KeyStore keys = keys(folder.resolve("keys"));
        KeyManagerFactory identity = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        identity.init(keys, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(identity.getKeyManagers(), null, null);
        String pem = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(keys.getCertificate("hook").getEncoded())
                + "\n-----END CERTIFICATE-----\n";
        authority = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            String question = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Matcher uid = UID.matcher(question);
            byte[] answer = ("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":{"
                            + "\"allowed\":true,\"uid\":\"" + (uid.find() ? uid.group(1) : "") + "\"}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    private static KeyStore keys(Path file) throws Exception {
        Process made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "hook",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=hook",
                        "-validity",
                        "2",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-ext",
                        "bc=ca:true",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(Files.newInputStream(file), PASSWORD);
        return keys;
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private void configure(Cluster cluster, String policy) {
        cluster.apply("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingWebhookConfiguration
                metadata:
                  name: check
                webhooks:
                - name: check.example.com
                  clientConfig:
                    url: https://127.0.0.1:%d/
                    caBundle: %s
                  rules:
                  - {operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}
                  namespaceSelector:
                    matchLabels: {kubernetes.io/metadata.name: default}
                  failurePolicy: %s
                  sideEffects: None
                  admissionReviewVersions: [v1]
                """.formatted(server.getAddress().getPort(), authority, policy));
    }

    private static ConfigMap map(KubernetesClient client, String name) {
        return client.configMaps()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    @Test
    void itFailsUntilItRecovers(Cluster cluster, KubernetesClient client) {
        configure(cluster, "Fail");
        map(client, "a");
        assertThat(asked).hasValue(1);

        cluster.failWebhook("check.example.com");
        assertThatThrownBy(() -> map(client, "b"))
                .hasMessageContaining("failed calling webhook \"check.example.com\": failed to call webhook: Post")
                .hasMessageContaining("connection refused");
        cluster.timeOutWebhook("check.example.com");
        assertThatThrownBy(() -> map(client, "b")).hasMessageContaining("context deadline exceeded");
        cluster.restartControlPlane();
        assertThatThrownBy(() -> map(client, "b")).hasMessageContaining("context deadline exceeded");
        assertThat(asked).hasValue(1);

        cluster.recoverWebhook("check.example.com");
        map(client, "b");
        assertThat(asked).hasValue(2);
    }

    @Test
    void oneThatFailsOpenHoldsNobodyUp(Cluster cluster, KubernetesClient client) {
        configure(cluster, "Ignore");
        cluster.failWebhook("check.example.com");
        map(client, "a");
        assertThat(asked).hasValue(0);
    }
}
