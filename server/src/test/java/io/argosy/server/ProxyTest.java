package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.server.TestClient.Reply;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to servers in pods, behind services and on nodes, through the API server. */
class ProxyTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String namespace;
    private static String pods;
    private static String services;
    private static String address;
    private static HttpServer backend;
    private static HttpsServer secure;

    @BeforeAll
    static void backends() throws Exception {
        address = ownAddress();
        assumeTrue(
                !address.isEmpty(), "this machine has no address but the loopback ones, to which nothing is proxied");
        backend = HttpServer.create(new InetSocketAddress(address, 0), 0);
        backend.createContext("/", ProxyTest::answer);
        backend.start();
        secure = HttpsServer.create(new InetSocketAddress(address, 0), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(SERVER.identity("CN=backend")));
        secure.createContext("/", ProxyTest::answer);
        secure.start();
        admin = SERVER.admin();
        namespace = SERVER.namespace();
        pods = "/api/v1/namespaces/" + namespace + "/pods";
        services = "/api/v1/namespaces/" + namespace + "/services";
        pod("web", backend.getAddress().getPort(), address);
        admin.create(services, """
                {'metadata':{'name':'web'},'spec':{'ports':[{'name':'http','port':80},{'name':'https','port':443}]}}""");
        slice("web", "web", address, true);
    }

    @AfterAll
    static void stop() {
        if (backend != null) {
            backend.stop(0);
            secure.stop(0);
        }
    }

    /** One that is not for this machine alone, of the oldest network card: bridges of others' clusters come and go. Empty if there is none. */
    static String ownAddress() throws SocketException {
        List<NetworkInterface> cards = NetworkInterface.networkInterfaces()
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .toList();
        for (NetworkInterface card : cards) {
            for (InetAddress one : card.inetAddresses().toList()) {
                if (one instanceof Inet4Address && !one.isLoopbackAddress() && !one.isLinkLocalAddress()) {
                    return one.getHostAddress();
                }
            }
        }
        return "";
    }

    private static void pod(String name, int port, String ip) {
        admin.create(
                pods,
                "{'metadata':{'name':'" + name
                        + "'},'spec':{'containers':[{'name':'c','image':'i','ports':[{'containerPort':" + port
                        + "}]}]}}");
        admin.patch(pods + "/" + name + "/status", TestClient.MERGE_PATCH, "{'status':{'podIP':'" + ip + "'}}")
                .is(200);
    }

    private static void slice(String service, String pod, String ip, boolean ready) {
        SERVER.self().create("/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices", """
                {'metadata':{'name':'%s-1','labels':{'kubernetes.io/service-name':'%s'}},'addressType':'%s',
                 'endpoints':[{'addresses':['%s'],'conditions':{'ready':%s},'targetRef':{'kind':'Pod','name':'%s'}}],
                 'ports':[{'name':'http','port':%d},{'name':'https','port':%d}]}""".formatted(
                        service,
                        service,
                        ip.contains(":") ? "IPv6" : "IPv4",
                        ip,
                        ready,
                        pod,
                        backend.getAddress().getPort(),
                        secure.getAddress().getPort()));
    }

    /** Says what it was asked, or does what the path says. */
    private static void answer(HttpExchange asked) throws IOException {
        try (asked) {
            String path = asked.getRequestURI().getRawPath();
            byte[] body = asked.getRequestBody().readAllBytes();
            if (path.startsWith("/moved")) {
                asked.getResponseHeaders()
                        .set("Location", asked.getRequestHeaders().getFirst("X-To"));
                asked.sendResponseHeaders(302, -1);
                return;
            }
            if (path.startsWith("/page")) {
                page(asked, path.endsWith(".gz"));
                return;
            }
            String text = asked.getRequestMethod() + " " + asked.getRequestURI() + " "
                    + new String(body, StandardCharsets.UTF_8) + "\n";
            StringBuilder answer = new StringBuilder(text);
            asked.getRequestHeaders()
                    .forEach((name, values) ->
                            answer.append(name).append(": ").append(values).append('\n'));
            asked.getResponseHeaders().put("Set-Cookie", List.of("a=1", "b=2"));
            asked.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
            asked.getResponseHeaders().set("Cache-Control", "max-age=60");
            byte[] bytes = path.startsWith("/long")
                    ? "x".repeat(3_000_000).getBytes(StandardCharsets.US_ASCII)
                    : answer.toString().getBytes(StandardCharsets.UTF_8);
            boolean head = asked.getRequestMethod().equals("HEAD");
            asked.sendResponseHeaders(
                    path.startsWith("/teapot") ? 418 : 200, head ? -1 : path.startsWith("/long") ? 0 : bytes.length);
            if (!head) {
                asked.getResponseBody().write(bytes);
            }
        }
    }

    private static void page(HttpExchange asked, boolean packed) throws IOException {
        byte[] page = "<a href=\"/there\">\u00fc</a> <a href=\"here\"> <a href=\"https://example.com/there\">"
                .getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = packed ? new GZIPOutputStream(bytes) : bytes) {
            out.write(page);
        }
        asked.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        if (packed) {
            asked.getResponseHeaders().set("Content-Encoding", "gzip");
        }
        asked.sendResponseHeaders(200, bytes.size());
        asked.getResponseBody().write(bytes.toByteArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"page", "page.gz"})
    void linksOfAPageStayBehindTheProxy(String page) {
        for (String proxy : List.of(pods + "/web/proxy/", services + "/web:http/proxy/")) {
            Reply shown = admin.get(proxy + page).is(200);
            assertThat(shown.text())
                    .isEqualTo("<a href=\"" + proxy + "there\">\u00fc</a> <a href=\"here\"> "
                            + "<a href=\"https://example.com/there\">");
            assertThat(shown.headers().firstValue("content-encoding")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
    void everyMethodIsPassedOnWithPathAndQuery(String method) throws Exception {
        for (Version version : Version.values()) {
            TestClient client = SERVER.client(TestServer.ADMIN, version);
            byte[] body = method.startsWith("P") ? "content".getBytes(StandardCharsets.UTF_8) : new byte[0];
            Reply answer = client.send(method, pods + "/web/proxy/some/pa%2Fth/?q=a%20b&flag&watch=1", "", body)
                    .is(200);
            assertThat(answer.text())
                    .startsWith(method + " /some/pa%2Fth/?q=a%20b&flag&watch=1 " + (body.length > 0 ? "content" : "")
                            + "\n");
            assertThat(answer.headers().allValues("set-cookie")).containsExactlyInAnyOrder("a=1", "b=2");
            assertThat(answer.headers().firstValue("access-control-allow-origin"))
                    .isEmpty();
            assertThat(answer.headers().firstValue("cache-control")).hasValue("max-age=60");
        }
    }

    @Test
    void theServerLearnsWhoAsksButNotTheirCredentials() {
        Reply answer = admin.get(
                        pods + "/web/proxy/x",
                        "Impersonate-User",
                        "admin",
                        "Impersonate-Group",
                        "system:masters",
                        "X-Own",
                        "1")
                .is(200);
        assertThat(answer.text())
                .containsIgnoringCase("X-forwarded-for: [127.0.0.1]")
                .containsIgnoringCase("X-forwarded-uri: [" + pods + "/web/proxy/x]")
                .containsIgnoringCase("X-forwarded-proto: [https]")
                .containsIgnoringCase("X-own: [1]")
                .doesNotContainIgnoringCase("impersonate")
                .doesNotContainIgnoringCase("authorization");
    }

    @Test
    void statusLengthAndLongAnswersComeThrough() {
        assertThat(admin.get(pods + "/web/proxy/teapot").is(418).text()).startsWith("GET /teapot");
        assertThat(admin.get(pods + "/web/proxy/long").is(200).text()).hasSize(3_000_000);
        assertThat(admin.send("HEAD", pods + "/web/proxy/x", "", new byte[0])
                        .is(200)
                        .text())
                .isEmpty();
        assertThat(admin.get(pods + "/web/proxy/after").is(200).text()).startsWith("GET /after");
    }

    @Test
    void withoutASlashTheClientIsSentToOne() {
        Reply moved = admin.get(pods + "/web/proxy?a=b").is(301);
        assertThat(moved.headers().firstValue("location")).hasValue(pods + "/web/proxy/?a=b");
        assertThat(admin.post(pods + "/web/proxy?a=b", "{}").is(200).text()).startsWith("POST /?a=b {}");
    }

    @ParameterizedTest
    @CsvSource({
        "/there, PROXY/there",
        "/there/?a=b#c, PROXY/there/?a=b#c",
        "there, there",
        "http://SELF/there, PROXY/there",
        "http://elsewhere/there, http://elsewhere/there",
        "PROXY/there, PROXY/there",
    })
    void redirectionsStayBehindTheProxy(String to, String expected) {
        String proxy = pods + "/web/proxy";
        String self = address + ":" + backend.getAddress().getPort();
        String told = to.replace("PROXY", proxy).replace("SELF", self);
        Reply moved = admin.get(proxy + "/moved", "X-To", told).is(302);
        assertThat(moved.headers().firstValue("location")).hasValue(expected.replace("PROXY", proxy));
    }

    @ParameterizedTest
    @ValueSource(strings = {"web:http", "web:80", "http:web:http", "http:web:80", "https:web:https", "https:web:443"})
    void servicesAreFoundByNameAndPort(String name) {
        assertThat(admin.get(services + "/" + name + "/proxy/x").is(200).text()).startsWith("GET /x");
    }

    @Test
    void podsAreFoundByNameAndPort() {
        int http = backend.getAddress().getPort();
        int https = secure.getAddress().getPort();
        for (String name : List.of("web:" + http, "http:web:" + http, "https:web:" + https)) {
            assertThat(admin.get(pods + "/" + name + "/proxy/x").is(200).text()).startsWith("GET /x");
        }
    }

    @Test
    void whatCannotBeReachedIsSaidSo() throws Exception {
        assertThat(admin.get(pods + "/none/proxy/").is(404).message()).isEqualTo("pods \"none\" not found");
        assertThat(admin.get(services + "/none/proxy/").is(404).message()).isEqualTo("services \"none\" not found");
        assertThat(admin.get(services + "/web:81/proxy/").is(503).message())
                .isEqualTo("no service port 81 found for service \"web\"");
        assertThat(admin.get(services + "/web:other/proxy/").is(503).message())
                .isEqualTo("no endpoints available for service \"web\"");
        assertThat(admin.get(pods + "/a:b:c:d/proxy/").is(400).message()).isEqualTo("invalid pod request \"a:b:c:d\"");
        assertThat(admin.get(pods + "/ftp:web:21/proxy/").is(400).message())
                .isEqualTo("invalid pod request \"ftp:web:21\"");
        int free;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            free = taken.getLocalPort();
        }
        Reply refused = admin.get(pods + "/web:" + free + "/proxy/").is(503);
        assertThat(refused.reason()).isEqualTo("ServiceUnavailable");
        assertThat(refused.message()).startsWith("error trying to reach service: dial tcp " + address + ":" + free);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1"})
    void nothingIsProxiedToThisMachineOrTheNetwork(String ip) {
        String name = "bad-" + ip.replaceAll("[.:]+", "-") + "x";
        pod(name, 80, ip);
        assertThat(admin.get(pods + "/" + name + "/proxy/").is(400).message()).isEqualTo("address not allowed");
        admin.create(services, "{'metadata':{'name':'" + name + "'},'spec':{'ports':[{'name':'http','port':80}]}}");
        slice(name, name, ip, true);
        admin.get(services + "/" + name + ":http/proxy/").is(503);
    }

    @Test
    void endpointsThatAreNoPodsOrNotReadyAreLeftOut() {
        for (String name : List.of("made-up", "unready")) {
            admin.create(services, "{'metadata':{'name':'" + name + "'},'spec':{'ports':[{'name':'http','port':80}]}}");
        }
        slice("made-up", "none", address, true);
        slice("unready", "web", address, false);
        for (String name : List.of("made-up", "unready")) {
            assertThat(admin.get(services + "/" + name + ":http/proxy/").is(503).message())
                    .isEqualTo("no endpoints available for service \"" + name + "\"");
        }
    }

    @Test
    void proxyingIsARightOfItsOwn() throws Exception {
        TestClient jane = SERVER.client("CN=jane", Version.HTTP_1_1);
        String roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace;
        admin.create(roles + "/roles", """
                {'metadata':{'name':'reader'},'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['*']},
                 {'apiGroups':[''],'resources':['pods/proxy'],'verbs':['get']}]}""");
        admin.create(roles + "/rolebindings", """
                {'metadata':{'name':'jane'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'reader'},
                 'subjects':[{'kind':'User','name':'jane','apiGroup':'rbac.authorization.k8s.io'}]}""");
        jane.get(pods + "/web/proxy/x").is(200);
        Reply refused = jane.post(pods + "/web/proxy/x", "{}").is(403);
        assertThat(refused.message()).contains("cannot create resource \"pods/proxy\"");
        jane.get(services + "/web:http/proxy/x").is(403);
        jane.send("OPTIONS", pods + "/web/proxy/x", "", new byte[0]).is(403);
    }

    @Test
    void otherProtocolsArePassedThrough() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            Thread.ofVirtual().start(() -> echo(listening));
            try (SSLSocket client = (SSLSocket) SERVER.identity(TestServer.ADMIN)
                    .getSocketFactory()
                    .createSocket("127.0.0.1", SERVER.address().getPort())) {
                client.setSoTimeout(30_000);
                OutputStream out = client.getOutputStream();
                out.write(("GET " + pods + "/web:" + listening.getLocalPort()
                                + "/proxy/chat HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: parrot\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                assertThat(in.readLine()).isEqualTo("HTTP/1.1 101 Switching Protocols");
                String line = in.readLine();
                while (!line.isEmpty()) {
                    line = in.readLine();
                }
                assertThat(in.readLine()).isEqualTo("parrot here, of GET /chat HTTP/1.1");
                for (int i = 0; i < 50; i++) {
                    out.write(("word " + i + "\n").getBytes(StandardCharsets.US_ASCII));
                    assertThat(in.readLine()).isEqualTo("word " + i + "!");
                }
                out.write("bye\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(in.readLine()).isNull();
            }
        }
    }

    /** Agrees to speak parrot: says each line again. */
    private static void echo(ServerSocket listening) {
        try (Socket socket = listening.accept();
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            String request = in.readLine();
            String line = in.readLine();
            while (!line.isEmpty()) {
                line = in.readLine();
            }
            OutputStream out = socket.getOutputStream();
            out.write(
                    ("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: parrot\r\n\r\nparrot here, of "
                                    + request + "\n")
                            .getBytes(StandardCharsets.US_ASCII));
            for (line = in.readLine(); !line.equals("bye"); line = in.readLine()) {
                out.write((line + "!\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void nodesTellOfTheirPodsAndTheirPortsCanBeReached() throws Exception {
        admin.create("/api/v1/nodes", "{'metadata':{'name':'n1'}}");
        admin.patch("/api/v1/nodes/n1/status", TestClient.MERGE_PATCH, """
                {'status':{'addresses':[{'type':'InternalIP','address':'%s'}],
                 'conditions':[{'type':'Ready','status':'True'}]}}""".formatted(address))
                .is(200);
        admin.create(
                pods, "{'metadata':{'name':'on-n1'},'spec':{'nodeName':'n1','containers':[{'name':'c','image':'i'}]}}");
        String node = "/api/v1/nodes/n1";
        assertThat(admin.get(node + "/proxy/healthz").is(200).text()).isEqualTo("ok");
        assertThat(admin.get(node + ":10250/proxy/pods").is(200).names()).containsExactly("on-n1");
        admin.get(node + "/proxy/nothing").is(404);
        admin.get(node + "/proxy/stats/nothing").is(404);
        assertThat(admin.get(node + "/proxy/stats/summary?only_cpu_and_memory=true")
                        .is(200)
                        .text())
                .isEqualTo("n1{only_cpu_and_memory=true}");
        assertThat(SERVER.client("CN=nobody", Version.HTTP_1_1)
                        .get(node + "/proxy/stats/summary")
                        .is(403)
                        .message())
                .contains("cannot get resource \"nodes/proxy\" in API group \"\" at the cluster scope");
        assertThat(admin.get(node + ":" + backend.getAddress().getPort() + "/proxy/x")
                        .is(200)
                        .text())
                .startsWith("GET /x");
        admin.get("/api/v1/nodes/none/proxy/healthz").is(404);
    }

    @Test
    void aNodesAgentIsKnownByThePortTheNodeTells() {
        admin.create("/api/v1/nodes", "{'metadata':{'name':'n2'}}");
        admin.patch(
                        "/api/v1/nodes/n2/status",
                        TestClient.MERGE_PATCH,
                        "{'status':{'daemonEndpoints':{'kubeletEndpoint':{'Port':43551}},'conditions':[{'type':'Ready','status':'True'}]}}")
                .is(200);
        assertThat(admin.get("/api/v1/nodes/n2:43551/proxy/healthz").is(200).text())
                .isEqualTo("ok");
        assertThat(admin.get("/api/v1/nodes/https:n2:43551/proxy/healthz")
                        .is(200)
                        .text())
                .isEqualTo("ok");
    }
}
