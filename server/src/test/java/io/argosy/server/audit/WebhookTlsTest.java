package io.argosy.server.audit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.TestServer;
import io.argosy.server.webhook.TestWebhook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Events go over TLS to whom the kubeconfig's authority vouches for, and to nobody else. */
class WebhookTlsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    @RegisterExtension
    static final TestServer OTHER = new TestServer();

    @TempDir
    Path folder;

    private final AuditErrors errors = new AuditErrors();

    private void post(TestWebhook to, String authority) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("webhook.yaml"), """
                clusters:
                - cluster:
                    server: https://localhost:%d/audit
                    certificate-authority-data: %s
                """.formatted(
                        to.port(), Base64.getEncoder().encodeToString(authority.getBytes(US_ASCII))));
        try (WebhookSink sink = WebhookSink.open(kubeconfig, Clock.system(), errors)) {
            sink.write("{\"auditID\":\"1\"}".getBytes(UTF_8));
        }
    }

    @Test
    void whoIsVouchedForGetsThem() throws Exception {
        try (TestWebhook collector = new TestWebhook(SERVER).on("/audit", question -> Json.object())) {
            post(collector, SERVER.authority());
            assertThat(collector.asked()).hasSize(1);
            assertThat(collector.asked().getFirst().at("/items/0/auditID").asText())
                    .isEqualTo("1");
            assertThat(errors.of("webhook")).isZero();
        }
    }

    @Test
    void nobodyElseDoes() throws Exception {
        try (TestWebhook stranger = new TestWebhook(SERVER).on("/audit", question -> Json.object())) {
            post(stranger, OTHER.authority());
            assertThat(stranger.asked()).isEmpty();
            assertThat(errors.of("webhook")).isEqualTo(1);
        }
    }
}
