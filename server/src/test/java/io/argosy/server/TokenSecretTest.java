package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import io.argosy.server.authn.KeyRing;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens that stand in Secrets, and keys that change, over HTTPS. */
class TokenSecretTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private TestClient nobody;
    private String core;

    @BeforeEach
    void prepare() throws Exception {
        admin = SERVER.admin();
        nobody = SERVER.client("", Version.HTTP_1_1);
        core = "/api/v1/namespaces/" + SERVER.namespace();
    }

    private int status(String token) {
        return nobody.post(
                        "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Authorization", "Bearer " + token)
                .status();
    }

    private static String text(Reply secret, String key) {
        return new String(Base64.getDecoder().decode(secret.at("/data/" + key).asText()), StandardCharsets.UTF_8);
    }

    private Reply secret(String name, String account) {
        return admin.post(
                core + "/secrets",
                "{'metadata':{'name':'" + name + "','annotations':{'kubernetes.io/service-account.name':'" + account
                        + "'}},'type':'kubernetes.io/service-account-token'}");
    }

    @Test
    void aSecretThatAsksForATokenGetsOneThatEndsWithIt() {
        Reply made = secret("old", "default").is(201);
        String token = text(made, "token");
        assertThat(text(made, "namespace")).isEqualTo(core.substring("/api/v1/namespaces/".length()));
        assertThat(made.at("/metadata/annotations/kubernetes.io~1service-account.uid")
                        .asText())
                .isEqualTo(admin.get(core + "/serviceaccounts/default")
                        .at("/metadata/uid")
                        .asText());
        assertThat(status(token)).isEqualTo(201);

        Reply again =
                admin.patch(core + "/secrets/old", TestClient.MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(text(again, "token")).isEqualTo(token);

        admin.delete(core + "/secrets/old").is(200);
        assertThat(status(token)).isEqualTo(401);
    }

    @Test
    void theTokenEndsWithItsAccountAndAnotherOfTheNameDoesNotReviveIt() {
        admin.create(core + "/serviceaccounts", "{'metadata':{'name':'brief'}}");
        String token = text(secret("of-brief", "brief"), "token");
        assertThat(status(token)).isEqualTo(201);
        admin.delete(core + "/serviceaccounts/brief").is(200);
        assertThat(status(token)).isEqualTo(401);
        admin.create(core + "/serviceaccounts", "{'metadata':{'name':'brief'}}");
        assertThat(status(token)).isEqualTo(401);
        Reply written = admin.patch(
                core + "/secrets/of-brief", TestClient.MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(text(written, "token")).isEqualTo(token);
    }

    @Test
    void aTokenThatSomebodyPutIntoTheSecretIsReplaced() {
        String token = text(secret("mine", "default"), "token");
        Reply forged = admin.patch(core + "/secrets/mine", TestClient.MERGE_PATCH, "{\"data\":{\"token\":\"eDp5\"}}");
        assertThat(text(forged, "token")).isNotEqualTo("x:y").startsWith("ey");
        assertThat(status(token)).isEqualTo(401);
        assertThat(status(text(forged, "token"))).isEqualTo(201);
    }

    @Test
    void aSecretMustNameItsAccount() {
        assertThat(secret("nobodys", "").is(422).message())
                .contains("metadata.annotations[kubernetes.io/service-account.name]: Required value");
        assertThat(secret("early", "not-there").is(201).at("/data/token").isMissingNode())
                .isTrue();
    }

    @Test
    void aNewKeyLogsNobodyOut() throws Exception {
        KeyRing before = SERVER.tokenKeys();
        String token = admin.post(core + "/serviceaccounts/default/token", "{}")
                .at("/status/token")
                .asText();
        String legacy = text(secret("kept", "default"), "token");
        SERVER.tokenKeys(new KeyRing(
                TestCertificates.tokenKey(), List.of(before.signing().verifying())));
        assertThat(status(token)).isEqualTo(201);
        assertThat(status(legacy)).isEqualTo(201);
        assertThat(admin.get("/openid/v1/jwks").at("/keys")).hasSize(2);
        String fresh = admin.post(core + "/serviceaccounts/default/token", "{}")
                .at("/status/token")
                .asText();
        SERVER.tokenKeys(KeyRing.of(SERVER.tokenKeys().signing()));
        assertThat(status(token)).isEqualTo(401);
        assertThat(status(legacy)).isEqualTo(401);
        assertThat(status(fresh)).isEqualTo(201);
        SERVER.tokenKeys(before);
    }

    @Test
    void aMachineJoinsWithABootstrapToken() {
        if (admin.get("/api/v1/namespaces/kube-system").status() == 404) {
            admin.create("/api/v1/namespaces", "{'metadata':{'name':'kube-system'}}");
        }
        admin.create("/api/v1/namespaces/kube-system/secrets", """
                {'metadata':{'name':'bootstrap-token-abcdef'},'type':'bootstrap.kubernetes.io/token','stringData':{
                 'token-id':'abcdef','token-secret':'0123456789abcdef','usage-bootstrap-authentication':'true',
                 'auth-extra-groups':'system:bootstrappers:argosy'}}""");
        String token = "abcdef.0123456789abcdef";
        Reply self = nobody.post(
                "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Authorization", "Bearer " + token);
        assertThat(self.at("/status/userInfo/username").asText()).isEqualTo("system:bootstrap:abcdef");
        Reply review = admin.post("/apis/authentication.k8s.io/v1/tokenreviews", "{'spec':{'token':'" + token + "'}}");
        assertThat(review.at("/status/user/groups").toString()).contains("system:bootstrappers:argosy");
        assertThat(admin.post(
                                "/apis/authentication.k8s.io/v1/tokenreviews",
                                "{'spec':{'token':'" + token + "','audiences':['vault']}}")
                        .at("/status/authenticated")
                        .asBoolean())
                .isFalse();
        nobody.get("/api/v1/nodes", "Authorization", "Bearer " + token).is(403);
        assertThat(status("abcdef.0123456789abcdee")).isEqualTo(401);
        admin.delete("/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef")
                .is(200);
        assertThat(status(token)).isEqualTo(401);
    }
}
