package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import java.net.http.HttpClient.Version;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Objects that initializers see before everybody else. */
class InitializerTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String CONFIGURATIONS =
            "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations";
    private static final String SEEN = "?includeUninitialized=true";
    private static final String POD =
            "{'metadata':{'name':'web'},'spec':{'containers':[{'name':'app','image':'nginx'}]}}";

    private static TestClient admin;

    private String pods;

    @BeforeAll
    static void client() {
        admin = SERVER.admin();
    }

    @BeforeEach
    void configure() {
        pods = "/api/v1/namespaces/" + SERVER.namespace() + "/pods";
        admin.create(CONFIGURATIONS, """
                {'metadata':{'name':'sidecars'},'initializers':[
                 {'name':'envoy.initializer.kubernetes.io','rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['pods']}]},
                 {'name':'labels.initializer.kubernetes.io','rules':[{'apiGroups':['*'],'apiVersions':['*'],'resources':['pods']}]}]}""");
    }

    @Test
    void whoConfiguresOneIsToldThatItIsOfOld() {
        assertThat(admin.get(CONFIGURATIONS).headers().allValues("warning"))
                .containsExactly(
                        "299 - \"admissionregistration.k8s.io/v1alpha1 InitializerConfiguration is deprecated\"");
    }

    @AfterEach
    void forget() {
        admin.delete(CONFIGURATIONS + "/sidecars");
    }

    private CompletableFuture<Reply> creation() {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> answer.complete(admin.post(pods, POD)));
        admin.await(pods + "/web" + SEEN, reply -> reply.status() == 200);
        return answer;
    }

    private Reply takeOff(String more) {
        return admin.patch(
                pods + "/web",
                TestClient.JSON_PATCH,
                "[{'op':'remove','path':'/metadata/initializers/pending/0'}" + more + "]");
    }

    @Test
    void anObjectIsThereForOthersWhenTheLastInitializerHasSeenIt() throws Exception {
        try (Events ordinary = admin.watch(pods + "?watch=1");
                Events initializer = admin.watch(pods + SEEN + "&watch=1")) {
            CompletableFuture<Reply> creation = creation();
            assertThat(initializer.shown()).isEqualTo("ADDED web");
            Reply seen = admin.get(pods + "/web" + SEEN).is(200);
            assertThat(seen.at("/metadata/initializers/pending/0/name").asText())
                    .isEqualTo("envoy.initializer.kubernetes.io");
            assertThat(seen.at("/metadata/initializers/pending/1/name").asText())
                    .isEqualTo("labels.initializer.kubernetes.io");
            for (Version version : Version.values()) {
                SERVER.client(TestServer.ADMIN, version).get(pods + "/web").is(404);
            }
            assertThat(admin.get(pods).names()).isEmpty();
            assertThat(admin.get(pods + "?limit=1").names()).isEmpty();
            assertThat(admin.get(pods + SEEN).names()).containsExactly("web");
            takeOff(",{'op':'add','path':'/spec/containers/-','value':{'name':'envoy','image':'lyft/envoy'}}")
                    .is(200);
            assertThat(initializer.shown()).isEqualTo("MODIFIED web");
            admin.get(pods + "/web").is(404);
            assertThat(creation.isDone()).isFalse();
            Reply done = takeOff("").is(200);
            assertThat(done.at("/metadata").has("initializers")).isFalse();
            assertThat(ordinary.shown()).isEqualTo("ADDED web");
            Reply created = creation.get();
            assertThat(created.status()).isEqualTo(201);
            assertThat(created.at("/spec/containers/1/name").asText()).isEqualTo("envoy");
            assertThat(created.at("/spec/containers/1/terminationMessagePath").asText())
                    .isEqualTo("/dev/termination-log");
            assertThat(admin.get(pods).names()).containsExactly("web");
            admin.get(pods + "/web").is(200);
        }
    }

    @Test
    void anInitializerCanRefuse() throws Exception {
        CompletableFuture<Reply> creation = creation();
        admin.patch(pods + "/web", TestClient.MERGE_PATCH, """
                {'metadata':{'initializers':{'result':{'status':'Failure','reason':'Forbidden','message':'no room','code':403}}}}""").is(200);
        Reply refused = creation.get();
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.message()).isEqualTo("no room");
        admin.await(pods + "/web" + SEEN, reply -> reply.status() == 404);
    }

    @Test
    void onlyWhoInitializesMayTouchIt() throws Exception {
        CompletableFuture<Reply> creation = creation();
        admin.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", """
                {'metadata':{'name':'editor'},'rules':[{'apiGroups':[''],'resources':['pods'],
                 'verbs':['get','list','create','update','patch','delete']}]}""");
        admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {'metadata':{'name':'editor'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'editor'},
                 'subjects':[{'kind':'User','name':'jane','apiGroup':'rbac.authorization.k8s.io'}]}""");
        TestClient jane = SERVER.client("CN=jane", Version.HTTP_1_1);
        String removal = "[{'op':'remove','path':'/metadata/initializers/pending/0'}]";
        assertThat(jane.patch(pods + "/web", TestClient.JSON_PATCH, removal)
                        .is(403)
                        .message())
                .contains("update to uninitialized resource denied");
        assertThat(jane.post(pods, POD.replace("'web'", "'mine','initializers':{'pending':[]}"))
                        .is(403)
                        .message())
                .contains("create with initializers denied");
        assertThat(admin.patch(
                                pods + "/web",
                                TestClient.JSON_PATCH,
                                "[{'op':'remove','path':'/metadata/initializers/pending/1'}]")
                        .is(422)
                        .message())
                .contains("the first of them first");
        jane.delete(pods + "/web").is(200);
        assertThat(creation.get().status()).isEqualTo(404);
    }

    @Test
    void whatIsWholeStaysSo() {
        admin.delete(CONFIGURATIONS + "/sidecars").is(200);
        admin.create(pods, POD);
        assertThat(admin.patch(
                                pods + "/web",
                                TestClient.MERGE_PATCH,
                                "{'metadata':{'initializers':{'pending':[{'name':'late.example.com'}]}}}")
                        .is(422)
                        .message())
                .contains("field is immutable once initialization has completed");
    }

    @Test
    void deletingACollectionLeavesNothingHidden() throws Exception {
        CompletableFuture<Reply> creation = creation();
        admin.delete(pods).is(200);
        admin.await(pods + SEEN, reply -> reply.names().equals(List.of()));
        assertThat(creation.get().status()).isEqualTo(404);
    }

    @Test
    void configurationsAreHeldAgainstTheRules() {
        Reply refused = admin.post(CONFIGURATIONS, """
                {'metadata':{'name':'bad'},'initializers':[{'name':'short','rules':[
                 {'apiGroups':['*',''],'apiVersions':[],'resources':['pods/status']}]}]}""").is(422);
        assertThat(refused.message())
                .contains(
                        "initializers[0].name: Invalid value: \"short\": should be a domain with at least three segments"
                                + " separated by dots")
                .contains(
                        "initializers[0].rules[0].apiGroups: Invalid value: \"*\": if '*' is present, must not specify"
                                + " other values")
                .contains("initializers[0].rules[0].apiVersions: Required value")
                .contains("initializers[0].rules[0].resources[0]: Invalid value: \"pods/status\": must not specify"
                        + " subresources");
    }
}
