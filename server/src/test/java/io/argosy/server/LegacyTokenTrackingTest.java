package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Since when the use of tokens is written down can be read, and nobody can lose it for good. */
class LegacyTokenTrackingTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final VirtualClock CLOCK = new VirtualClock(Instant.parse("2026-05-01T10:00:00Z"));
    private static final String MAP =
            "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking";

    private static LegacyTokenTracking tracking;

    @BeforeAll
    static void start() {
        if (SERVER.admin().get("/api/v1/namespaces/kube-system").status() == 404) {
            SERVER.admin().create("/api/v1/namespaces", "{'metadata':{'name':'kube-system'}}");
        }
        tracking = new LegacyTokenTracking(SERVER.server().registry(), CLOCK);
        tracking.start();
    }

    @AfterAll
    static void stop() {
        tracking.close();
    }

    private static void awaitSince(String day) {
        SERVER.admin().await(MAP, map -> map.at("/data/since").asText().equals(day));
    }

    @Test
    void theDayIsKeptAndPutRightButNotMadeAnewAtOnce() {
        TestClient admin = SERVER.admin();
        assertThat(admin.get(MAP).is(200).at("/data").toString()).isEqualTo("{\"since\":\"2026-05-01\"}");

        admin.patch(MAP, TestClient.MERGE_PATCH, "{'data':{'since':'2020-02-02'}}")
                .is(200);
        CLOCK.advance(Duration.ofDays(1));
        assertThat(admin.get(MAP).at("/data/since").asText()).isEqualTo("2020-02-02");

        admin.patch(MAP, TestClient.MERGE_PATCH, "{'data':{'since':'long ago','more':'1'}}")
                .is(200);
        awaitSince("2026-05-02");
        assertThat(admin.get(MAP).at("/data/more").asText()).isEqualTo("1");

        admin.delete(MAP).is(200);
        awaitSince("2026-05-02"); // the last one was made long enough ago
        admin.delete(MAP).is(200);
        while (CLOCK.untilNext().isEmpty()) {
            Thread.onSpinWait(); // it waits for the end of half an hour
        }
        admin.get(MAP).is(404);
        CLOCK.advance(Duration.ofMinutes(30));
        awaitSince("2026-05-02");
    }
}
