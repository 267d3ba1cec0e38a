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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Large lists, and writes with many watchers, take several seats. */
class WideRequestsTest {
    private static final Semaphore WRITES = new Semaphore(0);
    private static final Semaphore LISTS = new Semaphore(0);
    private static final String SEATS =
            "apiserver_flowcontrol_current_executing_seats{priority_level=\"global-default\"} ";

    @RegisterExtension
    static final TestServer SERVER = new TestServer(WideRequestsTest::gated);

    private final BlockingQueue<Reply> answers = new LinkedBlockingQueue<>();
    private TestClient admin;
    private TestClient user;
    private String maps;

    /** A store in which certain writes, and lists of the past, wait until the test lets them through. */
    private static Store gated(Path folder) {
        Store store = SqliteStore.open(folder);
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    String key = arguments == null || !(arguments[0] instanceof String name) ? "" : name;
                    if (method.getName().equals("put") && key.contains("/slow-")) {
                        WRITES.acquire();
                    } else if (method.getName().equals("list") && key.contains("/history")) {
                        LISTS.acquire();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @BeforeEach
    void user() throws Exception {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        admin.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {'metadata':{'name':'everybody'},
                 'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'cluster-admin'},
                 'subjects':[{'kind':'Group','name':'system:authenticated','apiGroup':'rbac.authorization.k8s.io'}]}""");
        user = SERVER.client("CN=user", Version.HTTP_2);
    }

    private void seats(int taken) {
        admin.await("/metrics", page -> page.text().lines().anyMatch((SEATS + taken)::equals));
    }

    private Reply answer() throws InterruptedException {
        Reply answer = answers.poll(60, TimeUnit.SECONDS);
        assertThat(answer).as("an answer").isNotNull();
        return answer;
    }

    @Test
    void aWriteTakesASeatForEveryTenWatchersUntilTheyAreTold() throws Exception {
        List<TestClient.Events> watches = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            watches.add(user.watch(maps + "?watch=1"));
        }
        for (TestClient.Events watch : watches) {
            assertThat(watch.status()).isEqualTo(200);
        }
        Thread.ofVirtual().start(() -> answers.add(user.post(maps, "{'metadata':{'name':'slow-one'}}")));
        seats(2);
        WRITES.release();
        answer().is(201);
        seats(0);
        for (TestClient.Events watch : watches) {
            assertThat(watch.shown()).isEqualTo("ADDED slow-one");
            watch.close();
        }
        admin.await(
                "/metrics",
                page -> page.text()
                        .lines()
                        .filter(line ->
                                line.startsWith("apiserver_longrunning_requests") && line.contains("\"configmaps\""))
                        .allMatch(line -> line.endsWith(" 0")));
        Thread.ofVirtual().start(() -> answers.add(user.post(maps, "{'metadata':{'name':'slow-two'}}")));
        seats(1);
        WRITES.release();
        answer().is(201);
    }

    @Test
    void aListOfThePastTakesASeatForEach100kB() throws Exception {
        admin.create("/api/v1/namespaces", "{'metadata':{'name':'history'}}");
        String secrets = "/api/v1/namespaces/history/secrets";
        String version = "";
        for (int i = 0; i < 3; i++) {
            version = admin.create(
                            secrets,
                            "{'metadata':{'name':'s" + i + "'},'stringData':{'large':'" + "x".repeat(80_000) + "'}}")
                    .at("/metadata/resourceVersion")
                    .asText();
        }
        String past = secrets + "?resourceVersionMatch=Exact&resourceVersion=" + version;
        Thread.ofVirtual().start(() -> answers.add(user.get(past)));
        seats(4); // 107 kB each, in base 64
        LISTS.release();
        assertThat(answer().is(200).at("/items")).hasSize(3);
        Thread.ofVirtual().start(() -> answers.add(user.get(past + "&limit=1")));
        seats(2);
        LISTS.release();
        assertThat(answer().is(200).at("/items")).hasSize(1);
        seats(0);
    }
}
