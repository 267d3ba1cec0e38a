package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.User;
import io.argosy.server.authz.BootstrapPolicy;
import io.argosy.store.sqlite.SqliteStore;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The whole server over HTTPS: who gets in with a token, and what they may do then. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessTest {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String SHOP = "/api/v1/namespaces/shop";
    private static final User ADMIN = new User("admin", List.of(User.MASTERS, User.AUTHENTICATED));

    @TempDir
    static Path folder;

    private SqliteStore store;
    private ApiServer server;
    private HttpClient http;

    @BeforeAll
    void start() throws Exception {
        store = SqliteStore.open(folder.resolve("state"));
        KeyRing keys = KeyRing.of(TestCertificates.tokenKey());
        server = new ApiServer(
                new ApiServer.Config("10.96.0.0/16", 30000, 32767), store, Credentials.of(() -> keys), Clock.system());
        server.authorizer().expect(BootstrapPolicy.load());
        server.start();
        TestCertificates certificates = new TestCertificates();
        SslContext tls = certificates.serverTls();
        server.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "localhost:6443",
                () -> tls,
                (connection, headers) -> headers.contains("X-Test-Admin") ? ADMIN : User.ANONYMOUS,
                null);
        http = HttpClient.newBuilder().sslContext(certificates.clientTls("")).build();
        admin("POST", "/api/v1/namespaces", "{'metadata':{'name':'shop'}}", 201);
        admin("POST", SHOP + "/serviceaccounts", "{'metadata':{'name':'default'}}", 201);
        admin("POST", SHOP + "/serviceaccounts", "{'metadata':{'name':'example-sa'}}", 201);
        admin("POST", RBAC + "/namespaces/shop/roles", """
                {'metadata':{'name':'example-role'},
                 'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['get','watch','list']}]}""", 201);
        bind("example", "Role", "example-role", "example-sa");
    }

    @AfterAll
    void stop() {
        http.close();
        server.close();
        store.close();
    }

    private void bind(String name, String kind, String role, String account) throws Exception {
        admin("POST", RBAC + "/namespaces/shop/rolebindings", """
                {'metadata':{'name':'%s'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'%s','name':'%s'},
                 'subjects':[{'kind':'ServiceAccount','name':'%s','namespace':'shop'}]}""".formatted(name, kind, role, account), 201);
    }

    private JsonNode admin(String method, String path, String body, int status) throws Exception {
        return send(method, path, body, status, "X-Test-Admin", "yes");
    }

    private JsonNode bearer(String token, String method, String path, String body, int status) throws Exception {
        return send(method, path, body, status, "Authorization", "Bearer " + token);
    }

    private JsonNode send(String method, String path, String body, int status, String header, String value)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://127.0.0.1:" + server.address().getPort() + path))
                .header(header, value)
                .header("content-type", "application/json")
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
        JsonNode decoded = Json.decode(answer.body());
        assertThat(answer.statusCode()).as("%s", decoded).isEqualTo(status);
        return decoded;
    }

    private String token(String account, String spec) throws Exception {
        JsonNode answer =
                admin("POST", SHOP + "/serviceaccounts/" + account + "/token", "{'spec':{" + spec + "}}", 201);
        return answer.at("/status/token").asText();
    }

    private JsonNode pod(String name, String account) throws Exception {
        return admin("POST", SHOP + "/pods", """
                {'metadata':{'name':'%s'},'spec':{'serviceAccountName':'%s',
                 'containers':[{'name':'c','image':'i'}]}}""".formatted(name, account), 201);
    }

    @Test
    void anAccountMayDoWhatItsRoleSaysAndNothingElse() throws Exception {
        String token = token("example-sa", "");
        bearer(token, "GET", SHOP + "/pods", "", 200);
        bearer(token, "GET", SHOP + "/pods/none", "", 404);
        bearer(token, "GET", "/apis", "", 200);
        JsonNode refusal = bearer(token, "GET", SHOP + "/secrets", "", 403);
        assertThat(refusal.path("message").asText())
                .isEqualTo("secrets is forbidden: User \"system:serviceaccount:shop:example-sa\" cannot list resource"
                        + " \"secrets\" in API group \"\" in the namespace \"shop\"");
        bearer(token, "DELETE", SHOP + "/pods/none", "", 403);
        bearer(token, "POST", SHOP + "/pods", "{}", 403);
        bearer(token, "GET", "/api/v1/namespaces/default/pods", "", 403);
        bearer(token, "GET", "/api/v1/pods", "", 403);
        bearer(token, "POST", SHOP + "/serviceaccounts/default/token", "{}", 403);
    }

    @Test
    void aRightEndsWithItsBinding() throws Exception {
        admin("POST", SHOP + "/serviceaccounts", "{'metadata':{'name':'brief'}}", 201);
        String token = token("brief", "");
        bearer(token, "GET", SHOP + "/pods", "", 403);
        bind("brief", "Role", "example-role", "brief");
        bearer(token, "GET", SHOP + "/pods", "", 200);
        admin("DELETE", RBAC + "/namespaces/shop/rolebindings/brief", "", 200);
        bearer(token, "GET", SHOP + "/pods", "", 403);
        admin("DELETE", SHOP + "/serviceaccounts/brief", "", 200);
        bearer(token, "GET", SHOP + "/pods", "", 401);
    }

    @Test
    void aTokenBoundToAPodEndsWithIt() throws Exception {
        String uid = pod("bound", "example-sa").at("/metadata/uid").asText();
        String reference = "'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'bound'";
        String token = token("example-sa", reference + ",'uid':'" + uid + "'}");
        JsonNode self = bearer(token, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", 201);
        assertThat(self.at("/status/userInfo/extra/authentication.kubernetes.io~1pod-name/0")
                        .asText())
                .isEqualTo("bound");
        admin("POST", SHOP + "/serviceaccounts/example-sa/token", "{'spec':{" + reference + ",'uid':'other'}}}", 409);
        admin("POST", SHOP + "/serviceaccounts/default/token", "{'spec':{" + reference + "}}}", 400);
        admin("DELETE", SHOP + "/pods/bound?gracePeriodSeconds=0", "", 200);
        bearer(token, "GET", SHOP + "/pods", "", 401);
    }

    @Test
    void aTokenTooShortIsRefused() throws Exception {
        JsonNode refusal =
                admin("POST", SHOP + "/serviceaccounts/example-sa/token", "{'spec':{'expirationSeconds':599}}", 422);
        assertThat(refusal.path("message").asText())
                .contains(
                        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes");
    }

    @Test
    void aTokenReviewSaysWhoseTokenItIs() throws Exception {
        String path = "/apis/authentication.k8s.io/v1/tokenreviews";
        String token = token("example-sa", "'audiences':['vault']");
        JsonNode good = admin("POST", path, "{'spec':{'token':'" + token + "','audiences':['vault','x']}}", 201);
        assertThat(good.at("/status/authenticated").asBoolean()).isTrue();
        assertThat(good.at("/status/user/username").asText()).isEqualTo("system:serviceaccount:shop:example-sa");
        assertThat(good.at("/status/audiences/0").asText()).isEqualTo("vault");
        JsonNode bad = admin("POST", path, "{'spec':{'token':'" + token + "'}}", 201);
        assertThat(bad.at("/status/authenticated").asBoolean()).isFalse();
        bearer(token, "GET", SHOP + "/pods", "", 401);
    }

    @Test
    void theIssuerIsDiscoverable() throws Exception {
        String token = token("example-sa", "");
        JsonNode document = bearer(token, "GET", "/.well-known/openid-configuration", "", 200);
        assertThat(document.path("jwks_uri").asText()).isEqualTo("https://localhost:6443/openid/v1/jwks");
        assertThat(bearer(token, "GET", "/openid/v1/jwks", "", 200).path("keys"))
                .hasSize(1);
    }

    @Test
    void everyPodFindsItsTokenUnlessItSaysNo() throws Exception {
        JsonNode spec = pod("mounted", "default").path("spec");
        assertThat(spec.at("/containers/0/volumeMounts/0/mountPath").asText())
                .isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount");
        assertThat(spec.at("/volumes/0/name").asText()).startsWith("kube-api-access-");
        assertThat(spec.at("/volumes/0/projected/sources")).hasSize(3);
        JsonNode without = admin("POST", SHOP + "/pods", """
                {'metadata':{'name':'unmounted'},'spec':{'automountServiceAccountToken':false,
                 'containers':[{'name':'c','image':'i'}]}}""", 201);
        assertThat(without.at("/spec/volumes").isMissingNode()).isTrue();
    }

    @Test
    void nobodyGivesWhatTheyDoNotHave() throws Exception {
        admin("POST", SHOP + "/serviceaccounts", "{'metadata':{'name':'clerk'}}", 201);
        admin("POST", RBAC + "/namespaces/shop/roles", """
                {'metadata':{'name':'clerk'},'rules':[
                 {'apiGroups':['rbac.authorization.k8s.io'],'resources':['roles','rolebindings'],'verbs':['create','update']},
                 {'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}""", 201);
        bind("clerk", "Role", "clerk", "clerk");
        String token = token("clerk", "");
        String roles = RBAC + "/namespaces/shop/roles";
        bearer(token, "POST", roles, """
                {'metadata':{'name':'small'},'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}""", 201);
        JsonNode refusal = bearer(token, "POST", roles, """
                {'metadata':{'name':'big'},'rules':[{'apiGroups':[''],'resources':['secrets'],'verbs':['get','list']}]}""", 403);
        assertThat(refusal.path("message").asText())
                .isEqualTo("roles.rbac.authorization.k8s.io \"big\" is forbidden: user"
                        + " \"system:serviceaccount:shop:clerk\" (groups=[\"system:serviceaccounts\""
                        + " \"system:serviceaccounts:shop\" \"system:authenticated\"]) is attempting to grant RBAC"
                        + " permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"],"
                        + " Verbs:[\"get\" \"list\"]}");
        String binding = """
                {'metadata':{'name':'more'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'%s','name':'%s'},
                 'subjects':[{'kind':'ServiceAccount','name':'clerk','namespace':'shop'}]}""";
        String bindings = RBAC + "/namespaces/shop/rolebindings";
        bearer(token, "POST", bindings, binding.formatted("ClusterRole", "cluster-admin"), 403);
        bearer(token, "POST", bindings, binding.formatted("ClusterRole", "not-there"), 404);
        bearer(token, "POST", bindings, binding.formatted("Role", "small"), 201);
    }

    @Test
    void reviewsAnswerThroughTheRoles() throws Exception {
        String token = token("example-sa", "");
        String reviews = "/apis/authorization.k8s.io/v1/";
        JsonNode yes = bearer(token, "POST", reviews + "selfsubjectaccessreviews", """
                {'spec':{'resourceAttributes':{'namespace':'shop','verb':'list','resource':'pods'}}}""", 201);
        assertThat(yes.at("/status/allowed").asBoolean()).isTrue();
        assertThat(yes.at("/status/reason").asText()).contains("RoleBinding \"example/shop\" of Role \"example-role\"");
        JsonNode no = admin("POST", reviews + "subjectaccessreviews", """
                {'spec':{'user':'system:serviceaccount:shop:example-sa',
                 'resourceAttributes':{'namespace':'shop','verb':'delete','resource':'pods'}}}""", 201);
        assertThat(no.at("/status/allowed").asBoolean()).isFalse();
        bearer(token, "POST", reviews + "subjectaccessreviews", "{'spec':{}}", 403);
        JsonNode rules =
                bearer(token, "POST", reviews + "selfsubjectrulesreviews", "{'spec':{'namespace':'shop'}}", 201);
        assertThat(rules.at("/status/resourceRules").findValues("resources").toString())
                .contains("[\"pods\"]");
        assertThat(rules.at("/status/incomplete").asBoolean()).isFalse();
    }

    @Test
    void somebodyActsAsSomebodyElseOnlyIfTheyMay() throws Exception {
        String asAccount = "system:serviceaccount:shop:example-sa";
        assertThat(as("X-Test-Admin", "yes", SHOP + "/pods", asAccount)).isEqualTo(200);
        assertThat(as("X-Test-Admin", "yes", SHOP + "/secrets", asAccount)).isEqualTo(403);
        assertThat(as("X-Test-Admin", "yes", SHOP + "/secrets", "jane")).isEqualTo(403);
        String token = "Bearer " + token("example-sa", "");
        assertThat(as("Authorization", token, SHOP + "/pods", "admin")).isEqualTo(403);
        assertThat(as("Authorization", token, SHOP + "/pods", asAccount)).isEqualTo(403);
        assertThat(as("X-Other", "", SHOP + "/pods", "admin")).isEqualTo(403);
    }

    private int as(String header, String value, String path, String user) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://127.0.0.1:" + server.address().getPort() + path))
                .header(header, value)
                .header("Impersonate-User", user)
                .build();
        return http.send(request, BodyHandlers.ofByteArray()).statusCode();
    }
}
