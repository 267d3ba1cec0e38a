package io.argosy.controllers.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens in Secrets that nobody uses are marked after a year, and gone after another. */
@Timeout(120)
class LegacyTokenScenarioTest {
    private static final String INVALID = "kubernetes.io/legacy-token-invalid-since";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String USED = "kubernetes.io/legacy-token-last-used";

    /** The loop alone: years pass, and all others have something to do in every minute of them. */
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));

    private int tokens = 4;
    private final FakeApi api = new FakeApi(clock);
    private final SharedInformers informers = new SharedInformers(api, clock);
    private final LegacyTokenCleaner.Wired loop = LegacyTokenCleaner.wire(api.client(), api, informers, clock);

    @BeforeEach
    void tokens() {
        create(ConfigMap.class, """
            {'metadata':{'name':'kube-apiserver-legacy-service-account-token-tracking','namespace':'kube-system'},
             'data':{'since':'2026-01-01'}}\
            """);
        create(ServiceAccount.class, """
            {'metadata':{'name':'old','namespace':'default'},
             'secrets':[{'name':'unused'},{'name':'used'},{'name':'mounted'}]}\
            """);
        for (String name : List.of("unused", "used", "mounted", "made-by-hand")) {
            create(Secret.class, """
                {'metadata':{'name':'%s','namespace':'default',
                 'annotations':{'kubernetes.io/service-account.name':'old'}},
                 'type':'kubernetes.io/service-account-token'}\
                """.formatted(name));
        }
        create(Pod.class, """
            {'metadata':{'name':'p','namespace':'default'},'spec':{'containers':[{'name':'c','image':'i'}],
             'volumes':[{'name':'v','secret':{'secretName':'mounted'}}]}}\
            """);
    }

    private void start() {
        informers.start();
        loop.controller().start();
        loop.watch().start();
    }

    @AfterEach
    void close() {
        loop.watch().close();
        loop.controller().close();
        informers.close();
    }

    private <T extends HasMetadata> void create(Class<T> type, String json) {
        api.client()
                .resources(type)
                .create(Models.decode(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type));
    }

    private Resources<Secret> secrets() {
        return api.client().resources(Secret.class);
    }

    private void label(String secret, Map<String, String> labels) {
        secrets()
                .update(new SecretBuilder(secrets().get("default", secret))
                        .editMetadata()
                        .withLabels(labels)
                        .endMetadata()
                        .build());
    }

    private Map<String, String> labels(String secret) {
        Map<String, String> labels =
                secrets().get("default", secret).getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    /** Lets time pass until the loop has nothing to do; whoever looks once a day has looked at the end of a single day, of many perhaps before. */
    private void pass(int days) {
        await("all tokens wait for their day", this::rests);
        clock.advance(Duration.ofDays(days));
        await("all tokens are looked at", this::rests);
    }

    private boolean rests() {
        return loop.controller().idle() && waiting() == tokens;
    }

    private int waiting() {
        return loop.controller().queue().counts().delayed();
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(200_000);
        }
    }

    @Test
    void whatNobodyUsesIsMarkedAndDeletedAYearLater() {
        label("used", Map.of(USED, "2028-01-02"));
        start();
        pass(365);
        assertThat(labels("unused")).isEmpty();
        pass(1);
        assertThat(labels("unused")).containsEntry(INVALID, "2027-01-02");
        for (String kept : List.of("used", "mounted", "made-by-hand")) {
            assertThat(labels(kept)).as(kept).doesNotContainKey(INVALID);
        }
        pass(365);
        assertThat(labels("unused")).containsEntry(INVALID, "2027-01-02");
        tokens--;
        clock.advance(Duration.ofDays(1));
        await("it is gone", () -> secrets().find("default", "unused").isEmpty());
        for (String kept : List.of("used", "mounted", "made-by-hand")) {
            assertThat(secrets().find("default", kept)).as(kept).isPresent();
        }
    }

    @Test
    void whatIsUsedAgainStays() {
        start();
        pass(366);
        pass(1);
        assertThat(labels("unused")).containsKey(INVALID);
        label("unused", Map.of(USED, "2027-06-01"));
        pass(300);
        assertThat(labels("unused")).doesNotContainKey(INVALID);
        assertThat(labels("used")).containsKey(INVALID);
    }

    @Test
    void nothingHappensWhereUseIsNotWrittenDown() {
        api.client()
                .resources(ConfigMap.class)
                .delete("kube-system", "kube-apiserver-legacy-service-account-token-tracking", DeleteOptions.DEFAULT);
        start();
        pass(1000);
        assertThat(labels("unused")).isEmpty();
    }
}
