package io.argosy.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.time.Clock;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.store.Store;
import io.argosy.store.ValueForm;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdServer;
import io.argosy.store.etcd.EtcdStore;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several API servers over one real etcd are one API. */
class SeveralServersTest {
    private static EtcdServer etcd;
    private static TestServer first;
    private static TestServer second;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdServer.start();
        first = new TestServer(_ -> open(new KubernetesForm()));
        first.beforeAll(null);
        second = new TestServer(_ -> open(new KubernetesForm()));
        second.beforeAll(null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (second != null) {
            second.afterAll(null);
        }
        if (first != null) {
            first.afterAll(null);
        }
        if (etcd != null) {
            etcd.close();
        }
    }

    private static Store open(ValueForm form) {
        return EtcdStore.open(EtcdConfig.of(etcd.endpoint()), form, Clock.system()::pause);
    }

    private static String maps(String name) {
        first.admin().create("/api/v1/namespaces", "{'metadata':{'name':'" + name + "'}}");
        return "/api/v1/namespaces/" + name + "/configmaps";
    }

    @Test
    void whatOneAcknowledgedTheOtherShows() {
        String maps = maps("agree");
        try (Events there = second.admin().watch(maps + "?watch=1")) {
            for (int i = 0; i < 30; i++) {
                TestClient writer = (i % 2 == 0 ? first : second).admin();
                TestClient reader = (i % 2 == 0 ? second : first).admin();
                Reply created = writer.create(maps, "{'metadata':{'name':'m" + i + "'}}");
                assertThat(reader.get(maps + "/m" + i).is(200).version()).isEqualTo(created.version());
                assertThat(reader.get(maps).is(200).names()).hasSize(i + 1);
                assertThat(there.shown()).isEqualTo("ADDED m" + i);
            }
        }
    }

    @Test
    void writersOfBothDoNotOverwriteEachOther() {
        String maps = maps("conflict");
        Reply created = first.admin().create(maps, "{'metadata':{'name':'m'},'data':{'n':'0'}}");
        second.admin()
                .patch(maps + "/m", TestClient.MERGE_PATCH, "{'data':{'n':'1'}}")
                .is(200);
        first.admin().put(maps + "/m", created.body()).is(409);
        assertThat(first.admin().get(maps + "/m").at("/data/n").asText()).isEqualTo("1");
        Reply seenThere = second.admin().patch(maps + "/m", TestClient.MERGE_PATCH, "{'data':{'n':'2'}}");
        first.admin().put(maps + "/m", seenThere.is(200).body()).is(200);
        second.admin().delete(maps + "/m").is(200);
        first.admin().get(maps + "/m").is(404);
        second.admin().create(maps, "{'metadata':{'name':'m'}}");
        first.admin().post(maps, "{'metadata':{'name':'m'}}").is(409);
    }

    @Test
    void addressesAreGivenOnce() {
        String services = maps("addresses").replace("configmaps", "services");
        String fixed = "{'metadata':{'name':'s'},'spec':{'clusterIP':'10.96.0.7','ports':[{'port':80}]}}";
        first.admin().create(services, fixed);
        second.admin().post(services, fixed.replace("'s'", "'t'")).is(422);
        first.admin().delete(services + "/s").is(200);
        second.admin().get(services + "/s").is(404);
        second.admin().create(services, fixed.replace("'s'", "'t'"));
    }

    @Test
    void atTheSameInstantTooAddressesAndPortsAreGivenOnce() throws Exception {
        String services = maps("instant").replace("configmaps", "services");
        for (int i = 0; i < 20; i++) {
            Reply free = first.admin()
                    .create(services, "{'metadata':{'name':'free'},'spec':{'type':'NodePort','ports':[{'port':80}]}}");
            first.admin().delete(services + "/free").is(200);
            String address = "'clusterIP':'" + free.at("/spec/clusterIP").asText() + "'";
            String port = "'nodePort':" + free.at("/spec/ports/0/nodePort");
            assertThat(asked(services, address + ",'ports':[{'port':80}]"))
                    .as(address)
                    .containsExactlyInAnyOrder(201, 422);
            assertThat(asked(services, "'type':'NodePort','ports':[{'port':80," + port + "}]"))
                    .as(port)
                    .containsExactlyInAnyOrder(201, 422);
        }
    }

    @Test
    void aNodePortWhoseServerEndedBeforeItsServiceWasWrittenIsFreeAgain() throws Exception {
        String services = maps("lost").replace("configmaps", "services");
        int longAgo = freePort(services, "a");
        int justNow = freePort(services, "b");
        first.admin().delete(services + "/a").is(200);
        first.admin().delete(services + "/b").is(200);
        Instant now = Clock.system().now();
        try (Store plain = open(ValueForm.PLAIN)) {
            chosen(plain, longAgo, now.minus(Duration.ofMinutes(2)));
            chosen(plain, justNow, now);
        }
        String service =
                "{'metadata':{'generateName':'s'},'spec':{'type':'NodePort','ports':[{'port':80,'nodePort':%d}]}}";
        second.admin().post(services, service.formatted(longAgo)).is(201);
        second.admin().post(services, service.formatted(longAgo)).is(422);
        second.admin().post(services, service.formatted(justNow)).is(422); // it may yet be written
    }

    private static int freePort(String services, String name) {
        return first.admin()
                .create(
                        services,
                        "{'metadata':{'name':'" + name + "'},'spec':{'type':'NodePort','ports':[{'port':80}]}}")
                .at("/spec/ports/0/nodePort")
                .asInt();
    }

    /** As a server writes it down when it has chosen a port for a Service. */
    private static void chosen(Store store, int port, Instant since) {
        String line =
                "{\"resource\":\"services\",\"namespace\":\"lost\",\"name\":\"never\",\"since\":\"" + since + "\"}";
        store.put("/registry/argosy.io/nodeports/" + port, line.getBytes(StandardCharsets.UTF_8), Store.ABSENT);
    }

    /** What both servers answer to whom asks for the same at once. */
    private static List<Integer> asked(String services, String spec) throws Exception {
        String service = "{'metadata':{'generateName':'s'},'spec':{" + spec + "}}";
        List<Callable<Integer>> asking = List.of(
                () -> first.admin().post(services, service).status(),
                () -> second.admin().post(services, service).status());
        List<Integer> answers = new ArrayList<>();
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (Future<Integer> answer : both.invokeAll(asking)) {
                answers.add(answer.get());
            }
        }
        return answers;
    }

    @Test
    void objectsStandWhereUpstreamLooksForThem() {
        String maps = maps("layout");
        first.admin().create(maps, "{'metadata':{'name':'m'},'data':{'k':'v'}}");
        Reply made = first.admin()
                .create(
                        maps.replace("configmaps", "services"),
                        "{'metadata':{'name':'s'},'spec':{'ports':[{'port':80}]}}");
        first.admin().create("/api/v1/nodes", "{'metadata':{'name':'node-1'}}");
        try (Store plain = open(ValueForm.PLAIN)) {
            for (String key : new String[] {
                "/registry/configmaps/layout/m",
                "/registry/services/specs/layout/s",
                "/registry/minions/node-1",
                "/registry/ipaddresses/" + made.at("/spec/clusterIP").asText(),
                "/registry/namespaces/layout"
            }) {
                assertThat(plain.get(key))
                        .as(key)
                        .hasValueSatisfying(entry ->
                                assertThat(Envelope.isEnveloped(entry.value())).isTrue());
            }
        }
    }

    @Test
    void eventsHaveAnEndInEtcdWhetherAServerIsLeftOrNot() throws Exception {
        String maps = maps("mortal");
        String events = maps.replace("configmaps", "events");
        first.admin().create(maps, "{'metadata':{'name':'m'}}");
        first.admin()
                .create(
                        events,
                        "{'metadata':{'name':'e'},'involvedObject':{'kind':'ConfigMap','name':'m','namespace':'mortal'},'reason':'R'}");
        first.admin()
                .patch(events + "/e", TestClient.MERGE_PATCH, "{'count':2}")
                .is(200);
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            assertThat(lease(client, "/registry/events/mortal/e")).isNotZero();
            assertThat(lease(client, "/registry/configmaps/mortal/m")).isZero();
        }
    }

    private static long lease(Client client, String key) throws Exception {
        return client.getKVClient()
                .get(ByteSequence.from(key, StandardCharsets.UTF_8))
                .get()
                .getKvs()
                .getFirst()
                .getLease();
    }

    @Test
    void whileEtcdIsAwayReadsAreAnsweredAndWritesRefused() throws IOException {
        String maps = maps("outage");
        TestClient admin = first.admin();
        admin.create(maps, "{'metadata':{'name':'m'}}");
        try (Events watch = admin.watch(maps + "?watch=1")) {
            assertThat(watch.shown()).isEqualTo("ADDED m");
            etcd.kill();
            Reply refused = admin.post(maps, "{'metadata':{'name':'n'}}").is(503);
            assertThat(refused.reason()).isEqualTo("ServiceUnavailable");
            assertThat(refused.message())
                    .isEqualTo("etcd at " + etcd.endpoint()
                            + " cannot be reached: nothing can be written until it is back.");
            assertThat(refused.headers().firstValue("retry-after")).contains("1");
            admin.get(maps + "/m").is(200);
            assertThat(admin.get(maps).is(200).names()).containsExactly("m");
            etcd.resume();
            createWhenBack(admin, maps);
            assertThat(watch.shown()).isEqualTo("ADDED back");
            createdByTheOther(maps);
            assertThat(watch.shown()).isEqualTo("ADDED other");
        }
    }

    private static void createWhenBack(TestClient admin, String maps) {
        long end = System.nanoTime() + 60_000_000_000L;
        while (admin.post(maps, "{'metadata':{'name':'back'}}").status() == 503) {
            assertThat(System.nanoTime()).as("etcd is back").isLessThan(end);
        }
    }

    private static void createdByTheOther(String maps) {
        long end = System.nanoTime() + 60_000_000_000L;
        while (second.admin().post(maps, "{'metadata':{'name':'other'}}").status() == 503) {
            assertThat(System.nanoTime()).as("etcd is back").isLessThan(end);
        }
    }

    @Test
    void aServerThatReadsWhatIsThereShowsTheSame() throws Exception {
        String maps = maps("again");
        Reply created = first.admin()
                .create(maps, "{'metadata':{'name':'m','labels':{'a':'b'}},'binaryData':{'k':'" + "AAEC" + "'}}");
        TestServer third = new TestServer(_ -> open(new KubernetesForm()));
        third.beforeAll(null);
        try {
            assertThat(third.admin().get(maps + "/m").is(200).body()).isEqualTo(created.body());
            assertThat(third.admin().get(maps + "?labelSelector=a%3Db").names()).containsExactly("m");
            assertThat(created.text().getBytes(UTF_8)).isNotEmpty();
        } finally {
            third.afterAll(null);
        }
    }

    @Test
    void aServerThatStartsLaterTellsWhatWasBefore() throws Exception {
        String maps = maps("before");
        String from = first.admin().create(maps, "{'metadata':{'name':'m'}}").version();
        first.admin().create(maps, "{'metadata':{'name':'n'}}");
        second.admin()
                .patch(maps + "/n", TestClient.MERGE_PATCH, "{'data':{'k':'v'}}")
                .is(200);
        first.admin().delete(maps + "/m").is(200);
        TestServer third = new TestServer(_ -> open(new KubernetesForm()));
        third.beforeAll(null);
        try (Events events = third.admin().watch(maps + "?watch=1&resourceVersion=" + from)) {
            assertThat(events.shown()).isEqualTo("ADDED n");
            JsonNode changed = events.next();
            assertThat(changed.path("type").asText()).isEqualTo("MODIFIED");
            assertThat(changed.at("/object/data/k").asText()).isEqualTo("v");
            assertThat(events.shown()).isEqualTo("DELETED m");
            first.admin().create(maps, "{'metadata':{'name':'o'}}");
            assertThat(events.shown()).isEqualTo("ADDED o");
        } finally {
            third.afterAll(null);
        }
    }
}
