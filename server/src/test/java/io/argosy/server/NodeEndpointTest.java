package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.http.HttpServer;
import java.net.http.HttpClient.Version;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node's own door: kubelet's paths, rights and refusals. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeEndpointTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private HttpServer door;

    @BeforeAll
    void open() throws Exception {
        TestClient admin = SERVER.admin();
        for (String node : new String[] {"here", "elsewhere"}) {
            admin.create("/api/v1/nodes", "{\"metadata\":{\"name\":\"" + node + "\"}}");
            admin.create("/api/v1/namespaces/default/pods", """
                {"metadata":{"name":"pod-%s"},
                "spec":{"nodeName":"%s","containers":[{"name":"main","image":"i"}]}}\
                """.formatted(node, node));
        }
        for (String right : new String[] {"metrics", "stats", "pods", "log", "checkpoint", "proxy"}) {
            admin.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {"metadata":{"name":"%s"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["nodes/%s"]}]}\
                """.formatted(right, right));
            admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {"metadata":{"name":"%s"},"subjects":[{"kind":"User","name":"%s"}],
                "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"%s"}}\
                """.formatted(right, right, right));
        }
        door = SERVER.nodeDoor("here");
    }

    @AfterAll
    void close() {
        door.close();
    }

    private TestClient as(String subject) throws Exception {
        return new TestClient(door.address(), SERVER.identity(subject), Version.HTTP_1_1);
    }

    @ParameterizedTest
    @CsvSource({
        "stats,/stats/summary,200",
        "metrics,/stats/summary,403",
        "proxy,/stats/summary,403",
        "metrics,/metrics/nothing,404",
        "proxy,/metrics,403",
        "pods,/pods,200",
        "proxy,/pods,200",
        "proxy,/healthz,500",
        "stats,/healthz,403",
        "proxy,/configz,404",
        "stats,/configz,403",
        "pods,/runningpods,404",
        "proxy,/runningpods/,404",
        "stats,/runningpods/,403",
        "log,/logs,500",
        "log,/logs/syslog,500",
        "proxy,/logs/syslog,403",
        "checkpoint,/checkpoint/default/pod-here/main,404",
        "proxy,/checkpoint/default/pod-here/main,403",
        "pods,/containerLogs/default/pod-here/main,403",
        "proxy,/nothing,404"
    })
    void everyPathHasItsRight(String user, String path, int status) throws Exception {
        as("CN=" + user).get(path).is(status);
    }

    @Test
    void whoMayNotIsToldInKubeletsWords() throws Exception {
        assertThat(as("CN=metrics").get("/stats/summary").is(403).text())
                .isEqualTo("Forbidden (user=metrics, verb=get, resource=nodes, subresource(s)=[stats])\n");
        assertThat(as("").get("/metrics").is(401).text()).isEqualTo("Unauthorized\n");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/exec/default/pod-here/main?command=sh&output=1",
        "POST,/exec/default/pod-here/main?command=sh&output=1",
        "POST,/run/default/pod-here/main?cmd=true",
        "GET,/attach/default/pod-here/main",
        "GET,/portForward/default/pod-here"
    })
    void whoMayOnlyReadRunsNothing(String method, String path) throws Exception {
        TestClient.Reply reply = as("CN=proxy").send(method, path, "text/plain", new byte[0]);
        assertThat(reply.is(403).text()).contains("verb=create");
    }

    @Test
    void itTellsOfItsOwnNodeAndOpensItsOwnPodsOnly() throws Exception {
        TestClient admin = as(TestServer.ADMIN);
        assertThat(admin.get("/stats/summary?only_cpu_and_memory=true").is(200).text())
                .isEqualTo("here{only_cpu_and_memory=true}");
        assertThat(admin.get("/pods").is(200).text()).contains("\"pod-here\"").doesNotContain("\"pod-elsewhere\"");
        admin.get("/exec/default/pod-elsewhere/main?command=sh&output=1").is(404);
        admin.get("/portForward/default").is(404);
        admin.get("/exec/default/pod-here").is(404);
        assertThat(admin.get("/exec/default/pod-here/main?command=sh&output=1")
                        .is(400)
                        .message())
                .containsIgnoringCase("upgrade");
        admin.send("POST", "/checkpoint/default/pod-here/main", "text/plain", new byte[0])
                .is(404);
        admin.get("/api/v1/nodes").is(404);
        admin.get("/api/v1/namespaces/default/pods/pod-here").is(404);
    }
}
