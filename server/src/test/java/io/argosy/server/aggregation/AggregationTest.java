package io.argosy.server.aggregation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Versions of the API that another server answers for, which is a real one on a port of this machine. */
class AggregationTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String REGISTRATIONS = "/apis/apiregistration.k8s.io/v1/apiservices";
    private static final String AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final AtomicInteger GROUPS = new AtomicInteger();

    private static TestClient admin;

    @BeforeAll
    static void identity() throws Exception {
        admin = SERVER.admin();
        FrontProxy proxy = SERVER.frontProxy("CN=front-proxy-client");
        SERVER.server().aggregation().identity(() -> proxy);
    }

    /** An API server behind a service, with its registration. */
    private static final class Registered implements AutoCloseable {
        private final String namespace = SERVER.namespace();
        private final String group = "wardle-" + GROUPS.incrementAndGet() + ".example.com";
        private final String root = "/apis/" + group + "/v1alpha1";
        private final String registration = REGISTRATIONS + "/v1alpha1." + group;
        private TestExtension server;

        Registered start() throws Exception {
            server = new TestExtension(SERVER, group + "/v1alpha1", 0, "api." + namespace + ".svc");
            return this;
        }

        Registered service() {
            admin.create(
                    "/api/v1/namespaces/" + namespace + "/services",
                    "{'metadata':{'name':'api'},'spec':{'ports':[{'name':'https','port':443}]}}");
            return this;
        }

        Registered endpoints(String ready) {
            SERVER.self().create("/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices", """
                    {'metadata':{'name':'api-1','labels':{'kubernetes.io/service-name':'api'}},'addressType':'IPv4',
                     'endpoints':[{'addresses':['127.0.0.1'],'conditions':{'ready':%s}}],
                     'ports':[{'name':'https','port':%d}]}""".formatted(
                            ready, server == null ? 1 : server.port()));
            return this;
        }

        Registered register() throws Exception {
            String bundle =
                    Base64.getEncoder().encodeToString(SERVER.authority().getBytes(StandardCharsets.US_ASCII));
            admin.create(REGISTRATIONS, """
                    {'metadata':{'name':'v1alpha1.%s'},'spec':{'group':'%s','version':'v1alpha1','groupPriorityMinimum':2000,
                     'versionPriority':15,'caBundle':'%s','service':{'namespace':'%s','name':'api'}}}""".formatted(group, group, bundle, namespace));
            return this;
        }

        Registered all() throws Exception {
            return start().service().endpoints("true").register().awaitReason("Passed");
        }

        Registered awaitReason(String reason) {
            admin.await(
                    registration,
                    reply -> condition(reply).path("reason").asText().equals(reason));
            return this;
        }

        JsonNode condition() {
            return condition(admin.get(registration));
        }

        private static JsonNode condition(Reply reply) {
            return reply.at("/status/conditions/0");
        }

        @Override
        public void close() throws Exception {
            admin.delete(registration);
            if (server != null) {
                server.close();
            }
        }
    }

    @Test
    void theConditionSaysWhatIsMissing() throws Exception {
        try (Registered api = new Registered()) {
            api.register().awaitReason("ServiceNotFound");
            assertThat(api.condition().path("message").asText())
                    .isEqualTo("service/api in \"" + api.namespace + "\" is not present");
            assertThat(api.condition().path("status").asText()).isEqualTo("False");
            Reply refused = admin.get(api.root + "/flunders").is(503);
            assertThat(refused.text()).isEqualTo("service unavailable\n");
            assertThat(refused.headers().firstValue("content-type")).hasValue("text/plain; charset=utf-8");
            api.service().awaitReason("EndpointsNotFound");
            assertThat(api.condition().path("message").asText())
                    .isEqualTo("cannot find endpointslices for service/api in \"" + api.namespace + "\"");
            api.start().endpoints("false").awaitReason("MissingEndpoints");
            SERVER.self()
                    .patch(
                            "/apis/discovery.k8s.io/v1/namespaces/" + api.namespace + "/endpointslices/api-1",
                            TestClient.JSON_PATCH,
                            "[{'op':'replace','path':'/endpoints/0/conditions/ready','value':true}]")
                    .is(200);
            api.awaitReason("Passed");
            assertThat(api.condition().path("message").asText()).isEqualTo("all checks passed");
            admin.get(api.root + "/flunders").is(200);
            admin.patch(api.registration, TestClient.MERGE_PATCH, "{'spec':{'service':{'port':8443}}}")
                    .is(200);
            api.awaitReason("ServicePortError");
        }
    }

    @Test
    void aServerThatGoesAwayIsSaidToBeDownAndFoundAgain() throws Exception {
        try (Registered api = new Registered().all()) {
            int port = api.server.port();
            api.server.close();
            admin.get(api.root + "/flunders").is(503);
            String said = "failing or missing response from https://api." + api.namespace + ".svc:443" + api.root
                    + ": error trying to reach service: dial tcp 127.0.0.1:" + port + ": connect: connection refused";
            admin.await(
                    api.registration,
                    reply -> reply.at("/status/conditions/0/message").asText().equals(said));
            assertThat(api.condition().path("reason").asText()).isEqualTo("FailedDiscoveryCheck");
            assertThat(admin.get(api.root + "/flunders").is(503).text()).isEqualTo("service unavailable\n");
            admin.get("/api/v1/namespaces/default").is(200);
            assertThat(group(api, aggregated()).at("/versions/0/freshness").asText())
                    .isEqualTo("Stale");
            admin.get("/openapi/v2").is(200);
            api.server = new TestExtension(SERVER, api.group + "/v1alpha1", port, "api." + api.namespace + ".svc");
            api.awaitReason("Passed");
            admin.get(api.root + "/flunders").is(200);
        }
    }

    @Test
    void aServerWithABadAnswerOrTheWrongCertificateIsNotAsked() throws Exception {
        try (Registered api = new Registered().start()) {
            api.server.answerDiscoveryWith(404);
            api.service().endpoints("true").register().awaitReason("FailedDiscoveryCheck");
            assertThat(api.condition().path("message").asText())
                    .contains("bad status from")
                    .endsWith(": 404");
            api.server.answerDiscoveryWith(200);
            api.awaitReason("Passed");
            admin.patch(api.registration, TestClient.JSON_PATCH, "[{'op':'remove','path':'/spec/caBundle'}]")
                    .is(200);
            api.awaitReason("Passed");
            assertThat(admin.get(api.root + "/flunders").is(503).text())
                    .isEqualTo(
                            "error trying to reach service: tls: failed to verify certificate: x509: certificate signed"
                                    + " by unknown authority\n");
            admin.patch(api.registration, TestClient.MERGE_PATCH, "{'spec':{'caBundle':'Cg=='}}")
                    .is(200);
            admin.await(
                    api.root + "/flunders",
                    reply -> reply.text()
                            .equals("error trying to reach service: unable to load root certificates: unable to parse"
                                    + " bytes as PEM block\n"));
            admin.patch(
                            api.registration,
                            TestClient.MERGE_PATCH,
                            "{'spec':{'caBundle':null,'insecureSkipTLSVerify':true}}")
                    .is(200);
            admin.await(api.root + "/flunders", reply -> reply.status() == 200);
        }
    }

    @Test
    void theServerLearnsWhoAsksAndNothingTheyClaim() throws Exception {
        try (Registered api = new Registered().all()) {
            for (Version version : Version.values()) {
                TestClient client = SERVER.client(TestServer.ADMIN, version);
                Reply told = client.post(
                                api.root + "/namespaces/default/flunders?dryRun=All&x=a%20b",
                                "{'kind':'Flunder'}",
                                "X-Remote-User",
                                "mallory",
                                "X-Remote-Extra-Scopes",
                                "all",
                                "Impersonate-User",
                                "jane",
                                "Impersonate-Group",
                                "dev",
                                "Impersonate-Group",
                                "ops",
                                "Impersonate-Extra-example.com%2Fscopes",
                                "view")
                        .is(403);
                assertThat(told.message()).contains("User \"jane\" cannot create resource \"flunders\" in API group");
                Reply answer = client.post(
                                api.root + "/namespaces/default/flunders?dryRun=All&x=a%20b",
                                "{'kind':'Flunder'}",
                                "X-Remote-User",
                                "mallory",
                                "X-Remote-Extra-Scopes",
                                "all",
                                "Authorization",
                                "Bearer secret")
                        .is(201);
                assertThat(answer.at("/target").asText())
                        .isEqualTo(api.root + "/namespaces/default/flunders?dryRun=All&x=a%20b");
                assertThat(answer.at("/body").asText()).isEqualTo("{\"kind\":\"Flunder\"}");
                assertThat(answer.at("/peer").asText()).isEqualTo("CN=front-proxy-client");
                JsonNode headers = answer.at("/headers");
                assertThat(headers.path("x-remote-user").asText()).isEqualTo("admin");
                assertThat(headers.path("x-remote-group").asText()).isEqualTo("system:masters,system:authenticated");
                assertThat(headers.has("x-remote-extra-scopes")).isFalse();
                assertThat(headers.has("authorization")).isFalse();
                assertThat(headers.path("host").asText()).isEqualTo("api." + api.namespace + ".svc:443");
            }
        }
    }

    @Test
    void extraClaimsAreEscapedInTheNamesOfHeaders() {
        assertThat(Identity.escaped("example.com/scopes")).isEqualTo("example.com%2Fscopes");
        assertThat(Identity.escaped("a%b é")).isEqualTo("a%25b%20%C3%A9");
    }

    @Test
    void watchesComeThroughAsTheyHappen() throws Exception {
        try (Registered api = new Registered().all();
                Events events = admin.watch(api.root + "/flunders?watch=true")) {
            assertThat(events.shown()).isEqualTo("ADDED one");
            api.server.sendSecondEvent();
            assertThat(events.shown()).isEqualTo("ADDED two");
            assertThat(events.shown()).isEqualTo("END");
        }
    }

    @Test
    void connectionsOfOtherProtocolsComeThrough() throws Exception {
        try (Registered api = new Registered().all();
                SSLSocket client = (SSLSocket) SERVER.identity(TestServer.ADMIN)
                        .getSocketFactory()
                        .createSocket("127.0.0.1", SERVER.address().getPort())) {
            client.setSoTimeout(30_000);
            String target = api.root + "/namespaces/default/flunders/one/exec?command=sh";
            OutputStream out = client.getOutputStream();
            out.write(("GET " + target + " HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: parrot\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            assertThat(in.readLine()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                assertThat(line).contains(":");
            }
            assertThat(in.readLine()).isEqualTo("parrot of " + target);
            for (int i = 0; i < 20; i++) {
                out.write(("word " + i + "\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(in.readLine()).isEqualTo("word " + i + "!");
            }
            out.write("bye\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(in.readLine()).isNull();
        }
    }

    @Test
    void aServerThatHangsOrDropsTheLineHoldsUpNobodyElse() throws Exception {
        try (Registered api = new Registered().all()) {
            List<Thread> waiting = new ArrayList<>();
            List<Integer> answers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(Thread.ofVirtual().start(() -> {
                    int status = admin.get(api.root + "/hang").status();
                    synchronized (answers) {
                        answers.add(status);
                    }
                }));
            }
            assertThat(admin.get(api.root + "/drop").is(503).text()).isEqualTo("error trying to reach service: EOF\n");
            admin.get(api.root + "/flunders").is(200);
            admin.get("/api/v1/namespaces/default").is(200);
            api.server.close();
            for (Thread one : waiting) {
                one.join();
            }
            assertThat(answers).containsOnly(503);
        }
    }

    @Test
    void discoveryTellsOfItInBothForms() throws Exception {
        try (Registered api = new Registered().all()) {
            assertThat(admin.get(api.root).is(200).at("/resources/0/name").asText())
                    .isEqualTo("flunders");
            Reply one = admin.get("/apis/" + api.group).is(200);
            assertThat(one.at("/preferredVersion/groupVersion").asText()).isEqualTo(api.group + "/v1alpha1");
            List<String> groups = new ArrayList<>();
            admin.get("/apis")
                    .body()
                    .path("groups")
                    .forEach(group -> groups.add(group.path("name").asText()));
            assertThat(groups).containsSubsequence("apps", "flowcontrol.apiserver.k8s.io", api.group, "extensions");
            JsonNode resource = group(api, aggregated()).at("/versions/0/resources/0");
            assertThat(resource).isEqualTo(Json.decodeObject("""
                    {"resource":"flunders","responseKind":{"group":"%s","version":"v1alpha1","kind":"Flunder"},
                     "scope":"Namespaced","singularResource":"flunder","verbs":["create","get","list","watch"],
                     "shortNames":["fl"],"subresources":[{"subresource":"exec","responseKind":{"group":"%s",
                     "version":"v1alpha1","kind":"Flunder"},"verbs":["create","get"]}]}""".formatted(api.group, api.group)
                    .getBytes(StandardCharsets.UTF_8)));
            assertThat(admin.get("/").text()).contains("\"" + api.root + "\"");
        }
        assertThat(admin.get("/apis").text()).doesNotContain("wardle-" + GROUPS.get() + ".");
    }

    private static JsonNode aggregated() {
        return admin.get("/apis", "Accept", AGGREGATED).is(200).body();
    }

    private static JsonNode group(Registered api, JsonNode list) {
        for (JsonNode group : list.path("items")) {
            if (group.at("/metadata/name").asText().equals(api.group)) {
                return group;
            }
        }
        throw new AssertionError("no group " + api.group + " in " + list);
    }

    /** A document of ours, when it tells of a path of another server. */
    private static JsonNode told(String document, String path) {
        return admin.await(document, reply -> reply.body().path("paths").has(path))
                .body();
    }

    @Test
    void openApiTellsOfIt() throws Exception {
        try (Registered api = new Registered().all()) {
            JsonNode v2 = told("/openapi/v2", api.root + "/flunders");
            assertThat(v2.path("paths").has("/elsewhere")).isFalse();
            assertThat(v2.path("paths").has("/api/v1/namespaces/{namespace}/pods/{name}"))
                    .isTrue();
            String metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
            assertThat(v2.at("/definitions/com.example.Flunder/properties/metadata/$ref")
                            .asText())
                    .isEqualTo("#/definitions/" + metadata + "_v2");
            assertThat(v2.path("definitions")
                            .path(metadata + "_v2")
                            .path("description")
                            .asText())
                    .isEqualTo("another");
            assertThat(v2.path("definitions").path(metadata).path("description").asText())
                    .isNotEqualTo("another");
            String url = told("/openapi/v3", api.root.substring(1))
                    .path("paths")
                    .path(api.root.substring(1))
                    .path("serverRelativeURL")
                    .asText();
            assertThat(url).isEqualTo("/openapi/v3" + api.root + "?hash=AB12");
            assertThat(admin.get(url).is(200).body().path("paths").has(api.root + "/flunders"))
                    .isTrue();
        }
        assertThat(admin.get("/openapi/v2").text()).doesNotContain("com.example.Flunder");
    }

    @Test
    void aServerThatHidesItsDocumentsHoldsUpNobodyElses() throws Exception {
        try (Registered silent = new Registered();
                Registered open = new Registered().all()) {
            silent.start();
            silent.server.hideDocuments();
            silent.service().endpoints("true").register().awaitReason("Passed");
            told("/openapi/v2", open.root + "/flunders");
            told("/openapi/v3", open.root.substring(1));
        }
    }

    @Test
    void registrationsAreHeldAgainstTheRules() {
        String bad = "{'metadata':{'name':'%s'},'spec':{'group':'%s','version':'%s','groupPriorityMinimum':%d,"
                + "'versionPriority':%d%s}}";
        Reply refused = admin.post(REGISTRATIONS, bad.formatted("x", "b.example.com", "v1", 0, 1001, ""))
                .is(422);
        assertThat(refused.message())
                .contains("metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`:"
                        + " \"v1.b.example.com\"")
                .contains("spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000")
                .contains("spec.versionPriority: Invalid value: 1001: must be positive and less than 1000");
        assertThat(admin.post(
                                REGISTRATIONS,
                                bad.formatted(
                                        "v1.b.example.com",
                                        "b.example.com",
                                        "v1",
                                        1,
                                        1,
                                        ",'insecureSkipTLSVerify':true"))
                        .is(422)
                        .message())
                .contains("local APIServices may not have insecureSkipTLSVerify");
        assertThat(admin.post(
                                REGISTRATIONS,
                                bad.formatted(
                                        "v1.b.example.com", "b.example.com", "v1", 1, 1, ",'service':{'name':''}"))
                        .is(422)
                        .message())
                .contains("spec.service.namespace: Required value");
        Reply local = admin.create(REGISTRATIONS, bad.formatted("v1.b.example.com", "b.example.com", "v1", 1, 1, ""));
        assertThat(local.at("/status/conditions/0/reason").asText()).isEqualTo("Local");
        admin.get("/apis/b.example.com/v1/things").is(404);
    }
}
