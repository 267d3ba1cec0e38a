package io.argosy.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.time.Clock;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.rest.LocalApi;
import io.argosy.server.storage.KubernetesForm;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdServer;
import io.argosy.store.etcd.EtcdStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** API servers that come, go and vanish, on one real etcd; and one alone. */
class PresenceTest {
    private static final String ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes";
    private static final String SLICE = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

    @RegisterExtension
    static final TestServer ALONE = new TestServer();

    private static EtcdServer etcd;
    private static TestServer first;
    private static TestServer second;

    private final VirtualClock clock = new VirtualClock(Instant.EPOCH);

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdServer.start();
        first = new TestServer(_ -> open());
        first.beforeAll(null);
        second = new TestServer(_ -> open());
        second.beforeAll(null);
    }

    private static Store open() {
        return EtcdStore.open(EtcdConfig.of(etcd.endpoint()), new KubernetesForm(), Clock.system()::pause);
    }

    @AfterAll
    static void stop() throws Exception {
        second.afterAll(null);
        first.afterAll(null);
        etcd.close();
    }

    private Presence presence(TestServer on, String address) {
        LocalApi api = on.server().local(new User("system:apiserver", List.of(User.MASTERS)));
        return new Presence(on.store(), api, clock, address, 6443);
    }

    /** What a server says; both objects must say the same. */
    private static List<String> listed(TestServer on) {
        List<String> addresses = new ArrayList<>();
        on.admin()
                .get(ENDPOINTS)
                .is(200)
                .at("/subsets/0/addresses")
                .forEach(address -> addresses.add(address.path("ip").asText()));
        List<String> sliced = new ArrayList<>();
        JsonNode endpoints = on.admin().get(SLICE).is(200).at("/endpoints");
        endpoints.forEach(endpoint -> sliced.add(endpoint.at("/addresses/0").asText()));
        assertThat(sliced).isEqualTo(addresses);
        return addresses;
    }

    @Test
    void everyServerIsListedUntilItEnds() {
        try (Presence one = presence(first, "10.0.0.1")) {
            one.start();
            assertThat(listed(second)).containsExactly("10.0.0.1");
            try (Presence two = presence(second, "10.0.0.2")) {
                two.start();
                assertThat(listed(first)).containsExactly("10.0.0.1", "10.0.0.2");
            }
            assertThat(listed(first)).containsExactly("10.0.0.1");
        }
        assertThat(listed(first)).isEmpty();
        assertThat(first.store().list(MasterLeases.ROOT, ListOptions.ALL).entries())
                .isEmpty();
    }

    @Test
    void aServerThatVanishesIsListedNoMoreWhenItsLeaseHasLapsed() {
        String vanished = MasterLeases.ROOT + "10.0.0.9";
        second.store().putFor(Duration.ofSeconds(2), vanished, """
            {"kind":"Endpoints","apiVersion":"v1","metadata":{},"subsets":[{"addresses":[{"ip":"10.0.0.9"}]}]}\
            """.getBytes(StandardCharsets.UTF_8), Store.ANY);
        try (Presence one = presence(first, "10.0.0.1")) {
            one.start();
            assertThat(listed(second)).containsExactly("10.0.0.1", "10.0.0.9");
            first.admin()
                    .await(
                            "/api/v1/namespaces/default",
                            ignored -> first.store().get(vanished).isEmpty());
            clock.advance(Duration.ofSeconds(10));
            first.admin()
                    .await(ENDPOINTS, reply -> reply.at("/subsets/0/addresses").size() == 1);
            first.admin().await(SLICE, reply -> reply.at("/endpoints").size() == 1);
            assertThat(listed(second)).containsExactly("10.0.0.1");
        }
    }

    @Test
    void whatSomebodyBrokeIsPutRight() {
        try (Presence one = presence(first, "10.0.0.1")) {
            one.start();
            second.admin().delete(ENDPOINTS).is(200);
            second.admin().delete(SLICE).is(200);
            clock.advance(Duration.ofSeconds(10));
            first.admin().await(SLICE, reply -> reply.status() == 200);
            assertThat(listed(second)).containsExactly("10.0.0.1");
        }
    }

    @Test
    void oneAloneListsItselfAndLeavesNothingElse() {
        ALONE.admin().post("/api/v1/namespaces/default/endpoints", """
            {'metadata':{'name':'kubernetes'},'subsets':[{'addresses':[{'ip':'10.0.0.7'}],'ports':[{'port':1}]}]}\
            """);
        try (Presence one = presence(ALONE, "10.0.0.1")) {
            one.start();
            assertThat(listed(ALONE)).containsExactly("10.0.0.1");
            assertThat(ALONE.admin()
                            .get(ENDPOINTS)
                            .at("/subsets/0/ports/0/port")
                            .asInt())
                    .isEqualTo(6443);
        }
        assertThat(listed(ALONE)).containsExactly("10.0.0.1");
    }
}
