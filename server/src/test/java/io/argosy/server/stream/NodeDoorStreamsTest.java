package io.argosy.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.http.HttpServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams through a node's own door by kubelet's paths, as the API server of another process opens them. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeDoorStreamsTest {
    private static final String V4 = "v4.channel.k8s.io";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final LocalGateway pods = new LocalGateway();
    private HttpServer door;

    @BeforeAll
    void open() throws Exception {
        TestClient admin = SERVER.admin();
        admin.create("/api/v1/nodes", "{\"metadata\":{\"name\":\"here\"}}");
        admin.create("/api/v1/namespaces/default/pods", """
            {"metadata":{"name":"box"},
            "spec":{"nodeName":"here","containers":[{"name":"main","image":"i","stdin":true},{"name":"other","image":"i"}]}}\
            """);
        grant("reader", "get");
        grant("operator", "create");
        door = SERVER.nodeDoor("here", pods);
    }

    private static void grant(String user, String verb) {
        SERVER.admin().create("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
            {"metadata":{"name":"%s"},"rules":[{"verbs":["%s"],"apiGroups":[""],"resources":["nodes/proxy"]}]}\
            """.formatted(user, verb));
        SERVER.admin()
                .create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                    {"metadata":{"name":"%s"},"subjects":[{"kind":"User","name":"%s"}],
                    "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"%s"}}\
                    """.formatted(user, user, user));
    }

    @AfterAll
    void close() {
        door.close();
    }

    private RawUpgrade upgrade(String user, String path, String protocol) throws Exception {
        String subject = user.isEmpty() ? "" : "CN=" + user;
        return RawUpgrade.spdy(SERVER.identity(subject), door.address().getPort(), path, protocol);
    }

    private static String exec(String script, String streams) {
        return "/exec/default/box/main?command=sh&command=-c&command="
                + URLEncoder.encode(script, StandardCharsets.UTF_8) + streams;
    }

    @Test
    void whoMayCreateRunsACommandWithAllItsStreams() throws Exception {
        String path = exec("cat; echo err >&2; exit 3", "&input=1&output=1&error=1");
        try (var upgrade = upgrade("operator", path, V4);
                var client = upgrade.speakSpdy()) {
            assertThat(upgrade.status()).isEqualTo(101);
            int error = client.open("streamtype", "error");
            int stdin = client.open("streamtype", "stdin");
            int stdout = client.open("streamtype", "stdout");
            int stderr = client.open("streamtype", "stderr");
            client.send(stdin, "hello");
            client.end(stdin);
            assertThat(client.textToTheEnd(stdout)).isEqualTo("hello");
            assertThat(client.textToTheEnd(stderr)).isEqualTo("err\n");
            assertThat(client.textToTheEnd(error)).contains("\"NonZeroExitCode\"", "\"message\":\"3\"");
        }
    }

    @Test
    void aRunningContainerIsAttachedTo() throws Exception {
        try (var upgrade = upgrade("operator", "/attach/default/box/main?input=1&output=1", V4);
                var client = upgrade.speakSpdy()) {
            assertThat(upgrade.status()).isEqualTo(101);
            int error = client.open("streamtype", "error");
            int stdin = client.open("streamtype", "stdin");
            int stdout = client.open("streamtype", "stdout");
            client.send(stdin, "to its process");
            client.end(stdin);
            assertThat(client.textToTheEnd(stdout)).isEqualTo("to its process");
            assertThat(client.textToTheEnd(error)).contains("\"Success\"");
        }
    }

    @Test
    void aPortIsForwarded() throws Exception {
        try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket socket = echo.accept()) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            });
            try (var upgrade = upgrade("operator", "/portForward/default/box", "portforward.k8s.io");
                    var client = upgrade.speakSpdy()) {
                assertThat(upgrade.status()).isEqualTo(101);
                String port = Integer.toString(echo.getLocalPort());
                int error = client.open("streamtype", "error", "port", port, "requestid", "0");
                int data = client.open("streamtype", "data", "port", port, "requestid", "0");
                client.end(error);
                client.send(data, "there and back");
                client.end(data);
                assertThat(client.textToTheEnd(data)).isEqualTo("there and back");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/exec/default/box/main?command=true&output=1",
                "/attach/default/box/main?output=1",
                "/portForward/default/box"
            })
    void whoMayNotIsRefusedBeforeAnythingRuns(String path) throws Exception {
        pods.commands.clear();
        try (var reader = upgrade("reader", path, V4)) {
            assertThat(reader.status()).isEqualTo(403);
            assertThat(reader.body())
                    .isEqualTo("Forbidden (user=reader, verb=create, resource=nodes, subresource(s)=[proxy])\n");
        }
        try (var nobody = upgrade("", path, V4)) {
            assertThat(nobody.status()).isEqualTo(401);
        }
        assertThat(pods.commands).isEmpty();
    }

    private TestClient as(String user) throws Exception {
        return new TestClient(door.address(), SERVER.identity("CN=" + user), Version.HTTP_1_1);
    }

    @Test
    void aCommandIsRunForItsOutputAlone() throws Exception {
        String run = "/run/default/box/main?cmd=";
        assertThat(as("operator")
                        .send("POST", run + "echo%20one%20two", "text/plain", new byte[0])
                        .is(200)
                        .text())
                .isEqualTo("one two\n");
        assertThat(as("operator")
                        .send("POST", run + "ls%20/nowhere", "text/plain", new byte[0])
                        .is(500)
                        .message())
                .contains("command 'ls /nowhere' exited with 2: ", "No such file or directory");
        as("operator")
                .send("POST", "/run/default/none/main?cmd=true", "text/plain", new byte[0])
                .is(404);
        as("operator").get("/run/default/box/main?cmd=true").is(405);
    }

    @Test
    void theMachinesLogsAreSentAsTheyAreRead() throws Exception {
        TestClient admin = new TestClient(door.address(), SERVER.identity(TestServer.ADMIN), Version.HTTP_1_1);
        assertThat(admin.get("/logs/syslog").is(200).text()).hasSize(200_000);
        admin.get("/logs/none").is(404);
    }

    @Test
    void aContainerOrPodThatIsNotThereIsSaidSo() throws Exception {
        try (var none = upgrade("operator", "/exec/default/none/main?command=true&output=1", V4)) {
            assertThat(none.status()).isEqualTo(404);
        }
        try (var none = upgrade("operator", "/exec/default/box/none?command=true&output=1", V4)) {
            assertThat(none.status()).isEqualTo(400);
            assertThat(none.body()).contains("container none is not valid for pod box");
        }
    }
}
