package io.argosy.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a request beside what it was. */
class AuditRecordTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<JsonNode> events = new ArrayList<>();

    @TempDir
    private Path folder;

    private AuditRecord begin(String level) throws Exception {
        Path file = Files.writeString(
                folder.resolve("policy.yaml"),
                "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: " + level + "}]}");
        AuditSink sink = new AuditSink() {
            @Override
            public void write(byte[] event) {
                events.add(Json.decodeObject(event));
            }

            @Override
            public void close() {}
        };
        Audit audit = new Audit(PolicyFile.read(file), List.of(sink), new AuditErrors(), clock);
        Action action = Action.onPath(new User("jane", List.of()), "get", "/version");
        return audit.begin(action, new Origin("id", "/version", List.of(), "")).orElseThrow();
    }

    private JsonNode annotations() {
        return events.getLast().path("annotations");
    }

    @Test
    void aSlowRequestTellsWhereItSpentItsTime() throws Exception {
        AuditRecord slow = begin("Metadata");
        Audit.recorded(slow, () -> {
            Audit.spent(Layer.ETCD, 300_000_000);
            Audit.spent(Layer.ETCD, 1_500_000);
            Audit.spent(Layer.MUTATING_WEBHOOK, 200_000);
            return null;
        });
        clock.advance(Duration.ofMillis(501));
        slow.started(200);
        assertThat(annotations()).isEmpty();
        slow.complete(200);
        assertThat(annotations().toString())
                .isEqualTo("{\"apiserver.latency.k8s.io/etcd\":\"301.5ms\","
                        + "\"apiserver.latency.k8s.io/mutating-webhook\":\"200µs\","
                        + "\"apiserver.latency.k8s.io/total\":\"501ms\"}");
    }

    @Test
    void aQuickOneTellsNothingOfThat() throws Exception {
        AuditRecord quick = begin("Metadata");
        Audit.recorded(quick, () -> {
            Audit.spent(Layer.ETCD, 300_000_000);
            return null;
        });
        clock.advance(Duration.ofMillis(500));
        quick.complete(200);
        assertThat(annotations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Metadata", "Request"})
    void whatAWebhookChangedIsWrittenWhereObjectsAre(String level) throws Exception {
        AuditRecord patched = begin(level);
        Audit.recorded(patched, () -> {
            Audit.annotations().put("patch.webhook.admission.k8s.io/round_0_index_0", "{}");
            Audit.annotations().put("mutation.webhook.admission.k8s.io/round_0_index_0", "{}");
            return null;
        });
        patched.complete(200);
        assertThat(annotations().has("mutation.webhook.admission.k8s.io/round_0_index_0"))
                .isTrue();
        assertThat(annotations().has("patch.webhook.admission.k8s.io/round_0_index_0"))
                .isEqualTo(level.equals("Request"));
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.000000007S, 7ns",
        "PT0.0000075S, 7.5µs",
        "PT0.7S, 700ms",
        "PT1S, 1s",
        "PT2M0.25S, 2m0.25s",
        "PT25H3S, 25h0m3s",
    })
    void durationsAreWrittenAsGoWritesThem(Duration duration, String text) {
        assertThat(Latencies.text(duration)).isEqualTo(text);
    }
}
