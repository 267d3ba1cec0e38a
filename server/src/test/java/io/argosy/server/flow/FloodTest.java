package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody floods the server with requests that take for ever; everybody else goes on. */
class FloodTest {
    private static final String LEVELS = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
    private static final String SCHEMAS = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    private static final Semaphore GATE = new Semaphore(0);

    @RegisterExtension
    static final TestServer SERVER =
            new TestServer(FloodTest::gated).limited(new FlowControl.Limits(10, Duration.ofSeconds(60)));

    private final BlockingQueue<Reply> answers = new LinkedBlockingQueue<>();
    private TestClient admin;
    private String maps;

    /** A store in which writes of certain keys wait until the test lets one through. */
    private static Store gated(Path folder) {
        Store store = SqliteStore.open(folder);
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("put") && ((String) arguments[0]).contains("/slow-")) {
                        GATE.acquire();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** One seat for the team, and four places to wait for each of its users. */
    @BeforeEach
    void team() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.create(LEVELS, """
                {'metadata':{'name':'narrow'},'spec':{'type':'Limited','limited':{'nominalConcurrencyShares':1,
                 'borrowingLimitPercent':0,'limitResponse':{'type':'Queue',
                 'queuing':{'queues':16,'handSize':2,'queueLengthLimit':2}}}}}""");
        admin.create(SCHEMAS, """
                {'metadata':{'name':'team'},'spec':{'matchingPrecedence':50,'distinguisherMethod':{'type':'ByUser'},
                 'priorityLevelConfiguration':{'name':'narrow'},'rules':[{
                 'subjects':[{'kind':'Group','group':{'name':'team'}}],
                 'resourceRules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*'],'namespaces':['*']}]}]}}""");
        if (admin.get("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/everybody")
                        .status()
                == 404) {
            admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                    {'metadata':{'name':'everybody'},
                     'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'cluster-admin'},
                     'subjects':[{'kind':'Group','name':'system:authenticated','apiGroup':'rbac.authorization.k8s.io'}]}""");
        }
    }

    @AfterEach
    void over() {
        admin.delete(SCHEMAS + "/team").is(200);
        admin.delete(LEVELS + "/narrow").is(200);
        GATE.drainPermits();
    }

    private void flood(String user, int requests) throws Exception {
        TestClient client = SERVER.client("CN=" + user + ",O=team", Version.HTTP_2);
        for (int i = 0; i < requests; i++) {
            String name = "slow-" + user + "-" + i;
            Thread.ofVirtual().start(() -> answers.add(client.post(maps, "{'metadata':{'name':'" + name + "'}}")));
        }
    }

    private Reply answer() throws InterruptedException {
        Reply answer = answers.poll(60, TimeUnit.SECONDS);
        assertThat(answer).as("an answer").isNotNull();
        return answer;
    }

    private String metric(String line) {
        return metric(admin.get("/metrics"), line);
    }

    private static String metric(Reply page, String line) {
        return page.is(200)
                .text()
                .lines()
                .filter(found -> found.startsWith(line))
                .map(found -> found.substring(line.length()).strip())
                .findFirst()
                .orElse("");
    }

    private void await(String metric, String value) {
        admin.await("/metrics", page -> metric(page, metric).equals(value));
    }

    @Test
    void aFloodIsTurnedAwayAndEverybodyElseIsServed() throws Exception {
        flood("mallory", 12);
        for (int i = 0; i < 7; i++) { // one is at work, four wait
            Reply refused = answer().is(429);
            assertThat(refused.reason()).isEqualTo("TooManyRequests");
            assertThat(refused.message()).isEqualTo("Too many requests, please try again later.");
            assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
            assertThat(refused.at("/details/retryAfterSeconds").asInt()).isEqualTo(1);
        }
        assertThat(answers).isEmpty();
        assertThat(metric("apiserver_flowcontrol_current_inqueue_requests{priority_level=\"narrow\"}"))
                .isEqualTo("4");
        assertThat(metric(
                        "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"team\",priority_level=\"narrow\","
                                + "reason=\"queue-full\"}"))
                .isEqualTo("7");

        // Other levels do not notice.
        TestClient bob = SERVER.client("CN=bob", Version.HTTP_1_1);
        bob.create(maps, "{'metadata':{'name':'of-bob'}}");
        bob.get(maps + "/of-bob").is(200);
        bob.get(maps).is(200);

        // Within the level turns are taken: who has one request does not wait for all of somebody else's.
        TestClient alice = SERVER.client("CN=alice,O=team", Version.HTTP_2);
        Thread.ofVirtual().start(() -> answers.add(alice.post(maps, "{'metadata':{'name':'slow-alice'}}")));
        await("apiserver_flowcontrol_current_inqueue_requests{priority_level=\"narrow\"}", "5");
        int of = 0;
        for (boolean served = false; !served; of++) {
            GATE.release();
            served = answer().is(201).name().equals("slow-alice");
        }
        assertThat(of)
                .isLessThanOrEqualTo(4); // the one at work, one of each queue of the hand, and then it is her turn
        int left = 6 - of;
        GATE.release(left);
        for (; left > 0; left--) {
            answer().is(201);
        }
    }

    @Test
    void changesOfALevelHoldAtOnce() throws Exception {
        flood("trudy", 5);
        await("apiserver_flowcontrol_current_inqueue_requests{priority_level=\"narrow\"}", "4");
        admin.patch(LEVELS + "/narrow", TestClient.MERGE_PATCH, "{'spec':{'limited':{'nominalConcurrencyShares':245}}}")
                .is(200);
        assertThat(metric("apiserver_flowcontrol_current_executing_seats{priority_level=\"narrow\"}"))
                .isEqualTo("5");
        GATE.release(5);
        for (int i = 0; i < 5; i++) {
            answer().is(201);
        }
    }

    @Test
    void watchesKeepNoSeatAndConnectionsNeedNone() throws Exception {
        TestClient eve = SERVER.client("CN=eve,O=team", Version.HTTP_2);
        try (TestClient.Events one = eve.watch(maps + "?watch=1");
                TestClient.Events other = eve.watch(maps + "?watch=1")) {
            assertThat(one.status()).isEqualTo(200);
            assertThat(other.status()).isEqualTo(200);
            eve.create(maps, "{'metadata':{'name':'seen'}}");
            assertThat(one.shown()).isEqualTo("ADDED seen");
            assertThat(other.shown()).isEqualTo("ADDED seen");
            assertThat(
                            metric(
                                    "apiserver_longrunning_requests{component=\"apiserver\",dry_run=\"\",group=\"\","
                                            + "resource=\"configmaps\",scope=\"namespace\",subresource=\"\",verb=\"WATCH\",version=\"v1\"}"))
                    .isEqualTo("2");
        }
        flood("eve", 5);
        await("apiserver_flowcontrol_current_inqueue_requests{priority_level=\"narrow\"}", "4");
        eve.get(maps.replace("configmaps", "pods/none/log")).is(404);
        GATE.release(5);
        for (int i = 0; i < 5; i++) {
            answer().is(201);
        }
    }

    @Test
    void answersSayWhereTheyWereSortedIn() throws Exception {
        TestClient carol = SERVER.client("CN=carol,O=team", Version.HTTP_1_1);
        String schema = admin.get(SCHEMAS + "/team").at("/metadata/uid").asText();
        String level = admin.get(LEVELS + "/narrow").at("/metadata/uid").asText();
        for (String path : new String[] {maps, maps + "/none", maps + "?limit=1"}) {
            Reply answer = carol.get(path);
            assertThat(answer.headers().firstValue("X-Kubernetes-PF-FlowSchema-UID"))
                    .hasValue(schema);
            assertThat(answer.headers().firstValue("X-Kubernetes-PF-PriorityLevel-UID"))
                    .hasValue(level);
        }
    }
}
