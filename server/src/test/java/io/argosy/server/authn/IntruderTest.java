package io.argosy.server.authn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestCertificates;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody who has one pod's token, or none, and wants more. */
class IntruderTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

    private static TestClient admin;
    private static TestClient nobody;
    private static String space;
    private static String core;
    private static String token;

    @BeforeAll
    static void aPodWithSomeRights() throws Exception {
        admin = SERVER.admin();
        nobody = SERVER.client("", Version.HTTP_1_1);
        space = SERVER.namespace();
        core = "/api/v1/namespaces/" + space;
        admin.create("/api/v1/namespaces", "{'metadata':{'name':'vault'}}");
        admin.create("/api/v1/namespaces/vault/secrets", "{'metadata':{'name':'crown'},'stringData':{'k':'jewels'}}");
        admin.create("/api/v1/namespaces/vault/serviceaccounts", "{'metadata':{'name':'keeper'}}");
        admin.create(core + "/serviceaccounts", "{'metadata':{'name':'boss'}}");
        admin.create(core + "/secrets", "{'metadata':{'name':'near'}}");
        admin.create(RBAC + "/namespaces/" + space + "/roles", """
                {'metadata':{'name':'worker'},'rules':[
                 {'apiGroups':[''],'resources':['pods'],'verbs':['get','list','watch','create']},
                 {'apiGroups':['rbac.authorization.k8s.io'],'resources':['roles','rolebindings'],'verbs':['get','create','update','patch','delete']}]}""");
        admin.create(RBAC + "/namespaces/" + space + "/roles", """
                {'metadata':{'name':'patcher'},'rules':[
                 {'apiGroups':['','coordination.k8s.io'],'resources':['configmaps','leases'],'verbs':['get','patch','update']},
                 {'apiGroups':[''],'resources':['pods/exec','pods/attach','pods/portforward'],'verbs':['get']}]}""");
        bind("worker");
        bind("patcher");
        token = podToken("intruder");
    }

    private static void bind(String role) {
        admin.create(RBAC + "/namespaces/" + space + "/rolebindings", """
                {'metadata':{'name':'%s'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'%s'},
                 'subjects':[{'kind':'ServiceAccount','name':'default','namespace':'%s'}]}""".formatted(role, role, space));
    }

    private static String podToken(String pod) {
        String uid = admin.create(
                        core + "/pods",
                        "{'metadata':{'name':'" + pod + "'},'spec':{'containers':[{'name':'c','image':'i'}]}}")
                .at("/metadata/uid")
                .asText();
        return admin.post(
                        core + "/serviceaccounts/default/token",
                        "{'spec':{'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'" + pod + "','uid':'" + uid
                                + "'}}}")
                .at("/status/token")
                .asText();
    }

    private static Reply send(String method, String path, String body, String... headers) {
        List<String> all = new ArrayList<>(List.of("Authorization", "Bearer " + token));
        all.addAll(List.of(headers));
        return nobody.send(
                method,
                path,
                method.equals("PATCH") ? "application/merge-patch+json" : "application/json",
                body.replace('\'', '"').replace("SPACE", space).getBytes(StandardCharsets.UTF_8),
                all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | /api/v1/namespaces/vault/secrets/crown | ''",
                "GET | /api/v1/namespaces/vault/secrets | ''",
                "GET | /api/v1/secrets | ''",
                "GET | /api/v1/namespaces/vault/secrets?watch=true | ''",
                "GET | /api/v1/watch/namespaces/vault/secrets | ''",
                "GET | CORE/secrets/near | ''",
                "GET | CORE/secrets?fieldSelector=metadata.name=near | ''",
                "PATCH | CORE/secrets/near | {'data':{}}",
                "POST | CORE/serviceaccounts/boss/token | {}",
                "POST | CORE/serviceaccounts/default/token | {}",
                "POST | /api/v1/namespaces/vault/serviceaccounts/keeper/token | {}",
                "DELETE | CORE/pods/intruder | ''",
                "DELETE | CORE/pods | ''",
                "GET | CORE/pods/intruder/log | ''",
                "POST | CORE/pods/intruder/exec?command=id | ''",
                "GET | CORE/pods/intruder/exec?command=id | ''",
                "GET | CORE/pods/intruder/attach | ''",
                "GET | CORE/pods/intruder/portforward?ports=80 | ''",
                "GET | CORE/pods/intruder/proxy/ | ''",
                "GET | CORE/services/kubernetes/proxy/ | ''",
                "GET | /api/v1/nodes/n1/proxy/ | ''",
                "POST | CORE/pods/intruder/binding | {'target':{'name':'n1'}}",
                "POST | CORE/bindings | {'metadata':{'name':'intruder'},'target':{'name':'n1'}}",
                "POST | CORE/pods/intruder/eviction | {'metadata':{'name':'intruder'}}",
                "PATCH | CORE/pods/intruder/ephemeralcontainers | {}",
                "PATCH | CORE/pods/intruder/status | {}",
                "POST | APIS/clusterroles | {'metadata':{'name':'x'}}",
                "POST | APIS/clusterrolebindings | {'metadata':{'name':'x'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'cluster-admin'}}",
                "POST | APIS/namespaces/SPACE/roles | {'metadata':{'name':'x'},'rules':[{'apiGroups':['*'],'resources':['*'],'verbs':['*']}]}",
                "POST | APIS/namespaces/SPACE/roles | {'metadata':{'name':'x'},'rules':[{'apiGroups':[''],'resources':['secrets'],'verbs':['get']}]}",
                "POST | APIS/namespaces/SPACE/roles | {'metadata':{'name':'x'},'rules':[{'apiGroups':[''],'resources':['pods/*'],'verbs':['create']}]}",
                "PATCH | APIS/namespaces/SPACE/roles/worker | {'rules':[{'apiGroups':['*'],'resources':['*'],'verbs':['*']}]}",
                "POST | APIS/namespaces/SPACE/rolebindings | {'metadata':{'name':'x'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'cluster-admin'},'subjects':[{'kind':'ServiceAccount','name':'default','namespace':'SPACE'}]}",
                "POST | APIS/namespaces/vault/rolebindings | {'metadata':{'name':'x'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'view'}}",
                "POST | /apis/certificates.k8s.io/v1/certificatesigningrequests | {'metadata':{'name':'x'},'spec':{'signerName':'kubernetes.io/kube-apiserver-client','request':'','usages':['client auth']}}",
                "POST | /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations | {'metadata':{'name':'x'}}",
                "POST | /apis/apiextensions.k8s.io/v1/customresourcedefinitions | {'metadata':{'name':'x'}}",
                "POST | /apis/authentication.k8s.io/v1/tokenreviews | {'spec':{'token':'x'}}",
                "POST | /apis/authorization.k8s.io/v1/subjectaccessreviews | {'spec':{'user':'x'}}",
                "PUT | CORE/configmaps/new | {'metadata':{'name':'new'}}",
                "PUT | /apis/coordination.k8s.io/v1/namespaces/SPACE/leases/new | {'metadata':{'name':'new'}}",
                "PATCH | /api/v1/namespaces/SPACE | {'metadata':{'labels':{'pod-security.kubernetes.io/enforce':'privileged'}}}",
                "GET | /metrics | ''",
                "GET | /debug/pprof | ''",
            })
    void aPodsTokenOpensNothingElse(String method, String path, String body) {
        Reply reply =
                send(method, path.replace("CORE", core).replace("APIS", RBAC).replace("SPACE", space), body);
        // what may be changed and is not there is not found; everything else is forbidden
        assertThat(reply.status()).as(reply.text()).isIn(403, path.endsWith("configmaps/new") ? 404 : 403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CORE/pods/../../vault/secrets/crown",
                "CORE/pods/..%2f..%2fvault%2fsecrets%2fcrown",
                "CORE/pods/%2e%2e/%2e%2e/vault/secrets/crown",
                "CORE/pods/intruder/../../../vault/secrets/crown",
                "CORE%2f..%2fvault/secrets/crown",
                "/api/v1/namespaces/vault%2fsecrets/crown",
                "/api/v1//namespaces/vault/secrets/crown",
                "/api/v1/namespaces//secrets",
                "/api//v1/namespaces/vault/secrets/crown",
                "//api/v1/namespaces/vault/secrets/crown",
                "/API/v1/namespaces/vault/secrets/crown",
                "/api/v1/namespaces/vault/secrets/crown/",
                "/api/v1/namespaces/vault/secrets/crown%00",
                "/api/v1/namespaces/VAULT/secrets/crown",
                "CORE/pods/intruder/log?container=../../../etc/passwd",
                "CORE/pods/intruder/log/../../../../vault/secrets/crown",
                "/logs/../../etc/passwd",
                "/static/..%2f..%2fetc%2fpasswd",
                "/openapi/v3/../../api/v1/secrets",
                "/healthz/../api/v1/secrets",
                "/api/v1/namespaces/vault/secrets/crown?dryRun=All&namespace=" + "x",
            })
    void noPathLeadsAround(String path) {
        Reply reply = send("GET", path.replace("CORE", core), "");
        assertThat(reply.status()).as(reply.text()).isBetween(400, 404);
        assertThat(reply.text())
                .doesNotContain(
                        "jewels",
                        Base64.getEncoder().encodeToString("jewels".getBytes(StandardCharsets.UTF_8)),
                        "root:");
    }

    @Test
    void whoHasARoleInANamespaceMaySeeIt() throws Exception {
        TestClient guest = SERVER.client("CN=guest", Version.HTTP_1_1);
        admin.create(RBAC + "/namespaces/" + space + "/rolebindings", """
                {'metadata':{'name':'guest'},
                 'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'system:aggregate-to-view'},
                 'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'User','name':'guest'}]}""");
        guest.get("/api/v1/namespaces/" + space).is(200);
        assertThat(guest.get("/api/v1/namespaces/vault").is(403).message())
                .isEqualTo("namespaces \"vault\" is forbidden: User \"guest\" cannot get resource \"namespaces\" in API"
                        + " group \"\" in the namespace \"vault\"");
        guest.get("/api/v1/namespaces").is(403);
    }

    @Test
    void whoMayPatchMayNotMakeByApplying() {
        byte[] lease = ("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"applied\"}}")
                .getBytes(StandardCharsets.UTF_8);
        String path = core + "/configmaps/applied?fieldManager=x";
        Reply refused =
                nobody.send("PATCH", path, "application/apply-patch+yaml", lease, "Authorization", "Bearer " + token);
        assertThat(refused.is(403).message()).contains("cannot create resource \"configmaps\"");
        admin.create(core + "/configmaps", "{'metadata':{'name':'applied'}}");
        nobody.send("PATCH", path, "application/apply-patch+yaml", lease, "Authorization", "Bearer " + token)
                .is(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Impersonate-User: admin",
                "Impersonate-User: system:admin; Impersonate-Group: system:masters",
                "Impersonate-User: system:serviceaccount:vault:keeper",
                "Impersonate-User: system:serviceaccount:SPACE:default; Impersonate-Group: system:masters",
                "Impersonate-Uid: 0; Impersonate-User: x",
                "Impersonate-User: x; Impersonate-Extra-scopes: all",
            })
    void nobodyActsAsSomebodyElseWithoutLeave(String headers) {
        List<String> pairs = new ArrayList<>();
        for (String header : headers.replace("SPACE", space).split("; ", -1)) {
            pairs.addAll(Arrays.asList(header.split(": ", 2)));
        }
        send("GET", core + "/pods", "", pairs.toArray(String[]::new)).is(403);
    }

    @Test
    void headersOfAFrontProxyMeanNothingFromAnybodyElse() {
        Reply self = send(
                "POST",
                SELF,
                "{}",
                "X-Remote-User",
                "admin",
                "X-Remote-Group",
                "system:masters",
                "X-Remote-Extra-a",
                "b");
        assertThat(self.at("/status/userInfo/username").asText())
                .isEqualTo("system:serviceaccount:" + space + ":default");
        nobody.get("/api/v1/secrets", "X-Remote-User", "admin", "X-Remote-Group", "system:masters")
                .is(403);
    }

    private static ObjectNode claims() {
        byte[] payload = Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]);
        return Json.decodeObject(payload);
    }

    private static String signed(ObjectNode claims) {
        return Jwt.sign(claims, SERVER.tokenKeys().signing());
    }

    private static int status(String bearer) {
        return nobody.post(SELF, "{}", "Authorization", "Bearer " + bearer).status();
    }

    private static String base64(String text) {
        return VerifyingKey.base64(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTokenThatIsNotRightIsNoToken() throws Exception {
        assertThat(status(token)).isEqualTo(201);
        assertThat(status(signed(claims()))).isEqualTo(201);
        long now = SERVER.clock().now().getEpochSecond();
        assertThat(status(signed(claims().put("exp", now - 1)))).isEqualTo(401);
        assertThat(status(signed(claims().put("nbf", now + 600)))).isEqualTo(401);
        assertThat(status(signed(claims().put("exp", "never")))).isEqualTo(401);
        assertThat(status(signed(claims().put("iss", "https://evil.example.com"))))
                .isEqualTo(401);
        ObjectNode elsewhere = claims();
        elsewhere.putArray("aud").add("vault");
        assertThat(status(signed(elsewhere))).isEqualTo(401);
        ObjectNode other = claims();
        other.withObject("/kubernetes.io/serviceaccount").put("name", "boss");
        assertThat(status(signed(other))).as("uid of another account").isEqualTo(401);
        ObjectNode gone = claims();
        gone.withObject("/kubernetes.io/pod").put("uid", "other");
        assertThat(status(signed(gone))).isEqualTo(401);
        String[] parts = token.split("\\.", -1);
        for (String algorithm : List.of("none", "None", "NONE", "nOnE", "HS256", "RS256", "ES384", "")) {
            String header = base64("{\"alg\":\"" + algorithm + "\",\"typ\":\"JWT\"}");
            assertThat(status(header + "." + parts[1] + ".")).as(algorithm).isEqualTo(401);
            assertThat(status(header + "." + parts[1] + "." + parts[2]))
                    .as(algorithm)
                    .isEqualTo(401);
        }
        assertThat(status(hmac(parts[1]))).as("the open key as a shared secret").isEqualTo(401);
        assertThat(status(Jwt.sign(claims(), TestCertificates.tokenKey()))).isEqualTo(401);
        assertThat(status(token.toUpperCase(java.util.Locale.ROOT))).isEqualTo(401);
        assertThat(status(parts[0] + "." + base64("{\"sub\":\"admin\"}") + "." + parts[2]))
                .isEqualTo(401);
        byte[] zeros = new byte[64];
        assertThat(status(parts[0] + "." + parts[1] + "." + VerifyingKey.base64(zeros)))
                .as("a signature of zeros")
                .isEqualTo(401);
    }

    private static String hmac(String payload) throws Exception {
        byte[] open = SERVER.tokenKeys().signing().open().getEncoded();
        String content = base64("{\"alg\":\"HS256\"}") + "." + payload;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(open, "HmacSHA256"));
        return content + "." + VerifyingKey.base64(mac.doFinal(content.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aStolenTokenEndsWithItsPodAndAnotherOfTheNameDoesNotReviveIt() {
        String stolen = podToken("victim");
        assertThat(status(stolen)).isEqualTo(201);
        admin.delete(core + "/pods/victim?gracePeriodSeconds=0").is(200);
        assertThat(status(stolen)).isEqualTo(401);
        String fresh = podToken("victim");
        assertThat(status(stolen)).isEqualTo(401);
        assertThat(status(fresh)).isEqualTo(201);
    }

    @Test
    void tokensBoundToASecretOrANodeEndWithIt() {
        admin.create("/api/v1/nodes", "{'metadata':{'name':'brief'}}");
        admin.create(core + "/secrets", "{'metadata':{'name':'brief'}}");
        for (String[] one : new String[][] {{"Secret", core + "/secrets/brief"}, {"Node", "/api/v1/nodes/brief"}}) {
            String bound = admin.post(
                            core + "/serviceaccounts/default/token",
                            "{'spec':{'boundObjectRef':{'kind':'" + one[0] + "','apiVersion':'v1','name':'brief'}}}")
                    .at("/status/token")
                    .asText();
            assertThat(status(bound)).isEqualTo(201);
            admin.delete(one[1]).is(200);
            assertThat(status(bound)).as(one[0]).isEqualTo(401);
        }
    }

    /** Seeded, so that what fails can be tried again. */
    @Test
    void noiseInTokensAndHeadersLetsNobodyInAndBreaksNothing() {
        Random random = new Random(20_261_116);
        String[] shapes = {"Bearer %s", "bearer  %s", "Basic %s", "%s", "Bearer", "Bearer %s,Bearer %s"};
        for (int i = 0; i < 400; i++) {
            String noise = mutated(token, random);
            String header = shapes[i % shapes.length].replace("%s", noise);
            Reply reply = nobody.get("/api/v1/secrets", "Authorization", header);
            assertThat(reply.status()).as(header).isIn(400, 401, 403);
        }
        for (int i = 0; i < 200; i++) {
            String name = List.of(
                            "Impersonate-User",
                            "Impersonate-Group",
                            "Impersonate-Extra-x",
                            "X-Remote-User",
                            "Impersonate-Extra-" + printable(random, 8))
                    .get(i % 5);
            Reply reply = send("GET", "/api/v1/secrets", "", name, printable(random, 1 + random.nextInt(40)));
            assertThat(reply.status()).as(name).isIn(400, 403);
        }
    }

    private static String mutated(String token, Random random) {
        StringBuilder changed = new StringBuilder(token);
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            int at = random.nextInt(changed.length());
            switch (random.nextInt(4)) {
                case 0 -> changed.setCharAt(at, (char) ('!' + random.nextInt(90)));
                case 1 -> changed.deleteCharAt(at);
                case 2 -> changed.insert(at, printable(random, 1 + random.nextInt(20)));
                default -> changed.setLength(Math.max(1, at));
            }
        }
        // the last two bits of a base64 text without padding say nothing: such a change is none
        return changed.toString().startsWith(token.substring(0, token.length() - 1))
                ? "x" + changed
                : changed.toString();
    }

    private static String printable(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("abcXYZ019-._~%+".charAt(random.nextInt(15)));
        }
        return text.toString();
    }

    @Test
    void certificatesThatAreNotRightLetNobodyIn() throws Exception {
        Instant now = SERVER.clock().now();
        TestCertificates certificates = SERVER.certificates();
        String masters = "CN=admin,O=system:masters";
        new TestClient(
                        SERVER.address(),
                        certificates.clientTls(
                                masters, now.minusSeconds(60), now.plusSeconds(600), KeyPurposeId.id_kp_clientAuth),
                        Version.HTTP_1_1)
                .get("/api/v1/secrets")
                .is(200);
        refuses(certificates.strangerTls(masters));
        refuses(certificates.clientTls(
                masters, now.minus(2, ChronoUnit.DAYS), now.minusSeconds(5), KeyPurposeId.id_kp_clientAuth));
        refuses(certificates.clientTls(
                masters, now.plusSeconds(3600), now.plusSeconds(7200), KeyPurposeId.id_kp_clientAuth));
        refuses(certificates.clientTls(
                masters, now.minusSeconds(60), now.plusSeconds(600), KeyPurposeId.id_kp_serverAuth));
    }

    /** Either the handshake fails or the request is nobody's. */
    private static void refuses(javax.net.ssl.SSLContext identity) {
        TestClient client = new TestClient(SERVER.address(), identity, Version.HTTP_1_1);
        assertThatThrownBy(() -> {
                    Reply reply = client.get("/api/v1/secrets");
                    assertThat(reply.status()).isNotIn(401, 403);
                })
                .isInstanceOfAny(java.io.UncheckedIOException.class, AssertionError.class)
                .satisfies(failure ->
                        assertThat(String.valueOf(failure.getMessage())).doesNotContain("200"));
    }

    @Test
    void oddNamesInCertificatesAreNamesAndNothingMore() throws Exception {
        for (String subject : List.of(
                "CN=system:masters",
                "CN=x,OU=system:masters",
                "O=system:masters",
                "CN=a\\,O\\=system:masters",
                "CN=\\ ")) {
            TestClient client = SERVER.client(subject, Version.HTTP_1_1);
            client.get("/api/v1/secrets").is(403);
        }
    }

    @Test
    void aKeyOfAnotherKindVerifiesNothing() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        assertThat(Jwt.parse(token).isSignedBy(pair.getPublic())).isFalse();
    }
}
