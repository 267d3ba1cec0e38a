package io.argosy.server.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.rest.LocalApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is written down of real requests, over HTTPS, as the policy says. */
class AuditTest {
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            rules:
            - level: None
              nonResourceURLs: ["/healthz*"]
            - level: RequestResponse
              resources: [{group: "", resources: ["secrets", "serviceaccounts/token"]}]
            - level: Request
              resources: [{group: "", resources: ["namespaces"]}]
              omitStages: [RequestReceived]
            - level: RequestResponse
              resources: [{group: "", resources: ["configmaps"]}]
              omitManagedFields: true
            - level: Metadata
            """;

    private static Path log;

    @RegisterExtension
    static final TestServer SERVER = new TestServer().audited(AuditTest::open);

    private static Audit open(Path folder) {
        log = folder.resolve("audit.log");
        try {
            Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
            return Audit.open(
                    new Audit.Config(
                            policy,
                            Optional.of(new LogFile.Config(log, 100 << 20, Duration.ZERO, 0)),
                            Optional.empty()),
                    Clock.system());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is written of the request with that answer. */
    private static List<JsonNode> of(Reply reply) {
        return of(reply.headers().firstValue("audit-id").orElseThrow());
    }

    private static List<JsonNode> of(String id) {
        try {
            List<JsonNode> found = new ArrayList<>();
            for (String line : Files.readAllLines(log)) {
                JsonNode event = Json.decode(line.getBytes(UTF_8));
                if (event.path("auditID").asText().equals(id)) {
                    found.add(event);
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String maps() {
        return "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
    }

    @Test
    void bothStagesTellWhoDidWhatWhenAndFromWhere() {
        String maps = maps();
        Reply reply = SERVER.admin()
                .send(
                        "POST",
                        maps + "?dryRun=All",
                        "application/json",
                        "{\"metadata\":{\"name\":\"m\"},\"data\":{\"k\":\"v\"}}".getBytes(UTF_8),
                        "User-Agent",
                        "tester/1.0");
        List<JsonNode> events = of(reply.is(201));
        assertThat(events)
                .extracting(event -> event.path("stage").asText())
                .containsExactly("RequestReceived", "ResponseComplete");
        JsonNode received = events.getFirst();
        assertThat(received.has("requestObject")).isFalse();
        assertThat(received.has("responseStatus")).isFalse();
        JsonNode event = events.getLast();
        assertThat(event.path("kind").asText()).isEqualTo("Event");
        assertThat(event.path("apiVersion").asText()).isEqualTo("audit.k8s.io/v1");
        assertThat(event.path("level").asText()).isEqualTo("RequestResponse");
        assertThat(event.path("requestURI").asText()).isEqualTo(maps + "?dryRun=All");
        assertThat(event.path("verb").asText()).isEqualTo("create");
        assertThat(event.at("/user/username").asText()).isEqualTo("admin");
        assertThat(event.at("/user/groups").toString()).isEqualTo("[\"system:masters\",\"system:authenticated\"]");
        assertThat(event.path("sourceIPs").toString()).isEqualTo("[\"127.0.0.1\"]");
        assertThat(event.path("userAgent").asText()).isEqualTo("tester/1.0");
        String namespace = maps.split("/")[4];
        assertThat(event.path("objectRef").toString())
                .isEqualTo("{\"resource\":\"configmaps\",\"namespace\":\"" + namespace
                        + "\",\"name\":\"m\",\"apiVersion\":\"v1\"}");
        assertThat(event.path("responseStatus").toString()).isEqualTo("{\"metadata\":{},\"code\":201}");
        assertThat(event.at("/requestObject/data/k").asText()).isEqualTo("v");
        assertThat(event.at("/responseObject/metadata/uid").asText()).isNotEmpty();
        assertThat(event.at("/annotations/authorization.k8s.io~1decision").asText())
                .isEqualTo("allow");
        for (String time : List.of("requestReceivedTimestamp", "stageTimestamp")) {
            assertThat(event.path(time).asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z");
        }
    }

    @Test
    void managedFieldsAreLeftOutWhereThePolicySaysSo() {
        String maps = maps();
        Reply created = SERVER.admin().create(maps, "{'metadata':{'name':'m'},'data':{'k':'v'}}");
        assertThat(created.at("/metadata/managedFields")).isNotEmpty();
        assertThat(of(created).getLast().at("/responseObject/metadata").has("managedFields"))
                .isFalse();
        JsonNode listed = of(SERVER.admin().get(maps)).getLast();
        assertThat(listed.at("/responseObject/items/0/metadata/name").asText()).isEqualTo("m");
        assertThat(listed.at("/responseObject/items/0/metadata").has("managedFields"))
                .isFalse();
    }

    @Test
    void ofASecretNothingIsWrittenButThatItWasThere() {
        String secrets = maps().replace("configmaps", "secrets");
        Reply created = SERVER.admin().create(secrets, "{'metadata':{'name':'s'},'stringData':{'k':'planted'}}");
        Reply got = SERVER.admin().get(secrets + "/s");
        Reply listed = SERVER.admin().get(secrets);
        Reply patched = SERVER.admin().patch(secrets + "/s", TestClient.MERGE_PATCH, "{'stringData':{'k':'planted'}}");
        Reply refused = SERVER.admin().post(secrets, "{'metadata':{'name':'NO'},'stringData':{'k':'planted'}}");
        assertThat(refused.status()).isEqualTo(422);
        for (Reply reply : List.of(created, got, listed, patched, refused)) {
            JsonNode event = of(reply).getLast();
            assertThat(event.path("level").asText()).isEqualTo("Metadata");
            assertThat(event.toString()).doesNotContain("planted", "cGxhbnRlZA");
            assertThat(event.has("requestObject") || event.has("responseObject"))
                    .isFalse();
            assertThat(event.at("/responseStatus/code").asInt()).isEqualTo(reply.status());
        }
        assertThat(of(created).getLast().at("/objectRef/name").asText()).isEqualTo("s");
    }

    @Test
    void aRefusalIsWrittenWithItsReason() throws Exception {
        TestClient nobody = SERVER.client("CN=mallory", Version.HTTP_1_1);
        Reply forbidden = nobody.get("/api/v1/namespaces/default/secrets/s");
        JsonNode event = of(forbidden.is(403)).getLast();
        assertThat(event.path("stage").asText()).isEqualTo("ResponseComplete");
        assertThat(event.at("/annotations/authorization.k8s.io~1decision").asText())
                .isEqualTo("forbid");
        assertThat(event.at("/responseStatus/status").asText()).isEqualTo("Failure");
        assertThat(event.at("/responseStatus/reason").asText()).isEqualTo("Forbidden");
        assertThat(event.at("/responseStatus/code").asInt()).isEqualTo(403);
        assertThat(event.at("/responseStatus/message").asText()).contains("User \"mallory\" cannot get");
    }

    @Test
    void whoIsNotKnownIsWrittenToo() throws Exception {
        TestClient stranger = SERVER.client("", Version.HTTP_1_1);
        Reply reply = stranger.get("/api/v1/pods", "Authorization", "Bearer wrong");
        List<JsonNode> events = of(reply.is(401));
        JsonNode event = events.getLast();
        assertThat(event.path("stage").asText()).isEqualTo("ResponseStarted");
        assertThat(event.at("/responseStatus/code").asInt()).isEqualTo(401);
        assertThat(event.at("/user/username").asText()).isEmpty();
        assertThat(events.toString()).doesNotContain("Bearer", "wrong");
    }

    @Test
    void whoActsAsSomebodyElseIsWrittenAsBoth() {
        Reply reply = SERVER.admin().get("/api/v1/namespaces/default", "Impersonate-User", "bob");
        JsonNode event = of(reply.is(403)).getLast();
        assertThat(event.at("/user/username").asText()).isEqualTo("admin");
        assertThat(event.at("/impersonatedUser/username").asText()).isEqualTo("bob");
        assertThat(event.at("/annotations/authorization.k8s.io~1decision").asText())
                .isEqualTo("forbid");
    }

    @Test
    void whyARequestWasAllowedIsWritten() throws Exception {
        TestClient anybody = SERVER.client("CN=anybody", Version.HTTP_1_1);
        JsonNode event = of(anybody.get("/version").is(200)).getLast();
        assertThat(event.at("/annotations/authorization.k8s.io~1reason").asText())
                .matches(
                        "RBAC: allowed by ClusterRoleBinding \".+\" of ClusterRole \".+\" to Group \"system:authenticated\"");
        assertThat(event.has("objectRef")).isFalse();
        assertThat(event.path("verb").asText()).isEqualTo("get");
    }

    @Test
    void aWatchIsWrittenWhenItBeginsAndWhenItEnds() {
        String maps = maps();
        String id = "my-own-watch-" + maps.split("/")[4];
        try (Events watch = SERVER.admin().watch(maps + "?watch=true&resourceVersion=0", "Audit-ID", id)) {
            assertThat(of(id))
                    .extracting(event -> event.path("stage").asText())
                    .containsExactly("RequestReceived", "ResponseStarted");
        }
        SERVER.admin().create(maps, "{'metadata':{'name':'m'}}"); // whoever is gone is noticed by what it is told
        SERVER.admin().await(maps, reply -> of(id).size() == 3);
        JsonNode last = of(id).getLast();
        assertThat(last.path("stage").asText()).isEqualTo("ResponseComplete");
        assertThat(last.at("/responseStatus/code").asInt()).isEqualTo(200);
    }

    @Test
    void whatThePolicyLeavesOutIsLeftOut() {
        assertThat(of(SERVER.admin().get("/healthz"))).isEmpty();
        Reply namespace = SERVER.admin().get("/api/v1/namespaces/default");
        assertThat(of(namespace))
                .extracting(event -> event.path("stage").asText())
                .containsExactly("ResponseComplete");
        assertThat(of(namespace).getFirst().has("responseObject")).isFalse();
    }

    @Test
    void whatAdmissionHasToSayIsInTheAnnotations() {
        String name = SERVER.namespace();
        SERVER.admin()
                .patch(
                        "/api/v1/namespaces/" + name,
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'pod-security.kubernetes.io/audit':'restricted'}}}");
        Reply pod = SERVER.admin()
                .create(
                        "/api/v1/namespaces/" + name + "/pods",
                        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        assertThat(of(pod).getLast()
                        .at("/annotations/pod-security.kubernetes.io~1audit-violations")
                        .asText())
                .contains("violate PodSecurity \"restricted:latest\"");
    }

    private static String noted(Reply reply, String key) {
        return of(reply).getLast().path("annotations").path(key).asText();
    }

    @Test
    void theLevelThatAPodWasHeldToIsWritten() {
        String name = SERVER.namespace();
        String pods = "/api/v1/namespaces/" + name + "/pods";
        String pod = "{'metadata':{'generateName':'p-'},'spec':{'containers':[{'name':'c','image':'i'}]}}";
        String enforced = "pod-security.kubernetes.io/enforce-policy";
        assertThat(noted(SERVER.admin().create(pods, pod), enforced)).isEqualTo("privileged:latest");
        SERVER.admin()
                .patch(
                        "/api/v1/namespaces/" + name,
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'pod-security.kubernetes.io/enforce':'restricted',"
                                + "'pod-security.kubernetes.io/enforce-version':'v1.30'}}}");
        assertThat(noted(SERVER.admin().post(pods, pod).is(403), enforced)).isEqualTo("restricted:v1.30");
    }

    @Test
    void whoUsesWhatWillBeGoneIsWritten() throws Exception {
        String old = "/apis/extensions/v1beta1/namespaces/default/deployments";
        Reply listed = SERVER.admin().get(old).is(200);
        assertThat(noted(listed, "k8s.io/deprecated")).isEqualTo("true");
        assertThat(noted(listed, "k8s.io/removed-release")).isEqualTo("1.16");
        assertThat(of(listed).getFirst().has("annotations")).isFalse();
        Reply endpoints =
                SERVER.admin().get("/api/v1/namespaces/default/endpoints/none").is(404);
        assertThat(noted(endpoints, "k8s.io/deprecated")).isEqualTo("true");
        assertThat(noted(endpoints, "k8s.io/removed-release")).isEmpty();
        Reply refused = SERVER.client("CN=mallory", Version.HTTP_1_1).get(old).is(403);
        assertThat(noted(refused, "k8s.io/deprecated")).isEmpty();
        Reply current = SERVER.admin()
                .get("/apis/apps/v1/namespaces/default/deployments")
                .is(200);
        assertThat(noted(current, "k8s.io/deprecated")).isEmpty();
    }

    @Test
    void whichTokenWasIssuedIsWritten() {
        String token = "/api/v1/namespaces/default/serviceaccounts/default/token";
        Reply issued = SERVER.admin().create(token, "{}");
        assertThat(noted(issued, "authentication.kubernetes.io/issued-credential-id"))
                .matches("JTI=[0-9a-f-]{36}");
    }

    @Test
    void usesOfTokensInSecretsAreWritten() throws Exception {
        String name = SERVER.namespace();
        String note = "authentication.k8s.io/legacy-token";
        String secrets = "/api/v1/namespaces/" + name + "/secrets";
        Reply made = SERVER.admin()
                .create(
                        secrets,
                        "{'metadata':{'name':'s','annotations':{'kubernetes.io/service-account.name':'default'}},"
                                + "'type':'kubernetes.io/service-account-token'}");
        String token =
                new String(Base64.getDecoder().decode(made.at("/data/token").asText()), UTF_8);
        TestClient nobody = SERVER.client("", Version.HTTP_1_1);
        Reply byHand =
                nobody.get("/version", "Authorization", "Bearer " + token).is(200);
        assertThat(noted(byHand, note)).isEqualTo("system:serviceaccount:" + name + ":default");
        assertThat(noted(byHand, note + "-manual-secret")).isEqualTo("s");
        assertThat(of(byHand).getFirst().path("annotations").path(note).asText())
                .isNotEmpty();
        SERVER.admin()
                .patch(
                        "/api/v1/namespaces/" + name + "/serviceaccounts/default",
                        TestClient.MERGE_PATCH,
                        "{'secrets':[{'name':'s'}]}")
                .is(200);
        Reply generated =
                nobody.get("/version", "Authorization", "Bearer " + token).is(200);
        assertThat(noted(generated, note + "-autogenerated-secret")).isEqualTo("s");
        assertThat(noted(generated, note + "-manual-secret")).isEmpty();
        SERVER.admin()
                .patch(
                        secrets + "/s",
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'kubernetes.io/legacy-token-invalid-since':'2026-01-01'}}}")
                .is(200);
        Reply refused =
                nobody.get("/version", "Authorization", "Bearer " + token).is(401);
        assertThat(noted(refused, note + "-invalidated")).isEqualTo("s/" + name);
        Reply reviewed = SERVER.admin()
                .create("/apis/authentication.k8s.io/v1/tokenreviews", "{'spec':{'token':'" + token + "'}}");
        assertThat(noted(reviewed, note + "-invalidated")).isEqualTo("s/" + name);
        assertThat(noted(SERVER.admin().get("/version"), note)).isEmpty();
    }

    @Test
    void requestsWithinTheProcessAreWrittenToo() throws IOException {
        LocalApi local = SERVER.server().local(new User("system:serviceaccount:kube-system:x", List.of(User.MASTERS)));
        String name = SERVER.namespace();
        local.send(new LocalApi.Call(
                "create",
                new io.argosy.api.GroupVersion("", "v1"),
                "configmaps",
                name,
                "",
                "",
                Map.of(),
                "application/json",
                "{\"metadata\":{\"name\":\"inside\"}}".getBytes(UTF_8)));
        String uri = "/api/v1/namespaces/" + name + "/configmaps";
        List<JsonNode> events = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            JsonNode event = Json.decode(line.getBytes(UTF_8));
            if (event.path("requestURI").asText().equals(uri)) {
                events.add(event);
            }
        }
        assertThat(events)
                .extracting(event -> event.path("stage").asText())
                .containsExactly("RequestReceived", "ResponseComplete");
        assertThat(events.getLast().at("/user/username").asText()).isEqualTo("system:serviceaccount:kube-system:x");
        assertThat(events.getLast().at("/responseObject/metadata/name").asText())
                .isEqualTo("inside");
    }

    @Test
    void eventsAreCounted() {
        SERVER.admin().get("/version").is(200);
        String page = SERVER.admin().get("/metrics").text();
        assertThat(page)
                .containsPattern("apiserver_audit_event_total [1-9]")
                .contains("apiserver_audit_level_total{level=\"Metadata\"}");
    }
}
