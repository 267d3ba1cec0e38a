package io.argosy.server.authn;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens in Secrets: their use is written down, warned of, and refused once they are marked. */
class LegacyTokenUseTest {
    private static final String USED = "/metadata/labels/kubernetes.io~1legacy-token-last-used";
    private static final String SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    private static final String WARNING =
            "299 - \"Use tokens from the TokenRequest API or manually created secret-based"
                    + " tokens instead of auto-generated secret-based tokens.\"";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private TestClient nobody;
    private String namespace;
    private String secret;
    private String token;

    @BeforeEach
    void tokenInASecret() throws Exception {
        admin = SERVER.admin();
        nobody = SERVER.client("", Version.HTTP_1_1);
        namespace = SERVER.namespace();
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        Reply made = admin.create(
                secrets,
                "{'metadata':{'name':'s','annotations':{'kubernetes.io/service-account.name':'default'}},"
                        + "'type':'kubernetes.io/service-account-token'}");
        secret = secrets + "/s";
        token = new String(Base64.getDecoder().decode(made.at("/data/token").asText()), StandardCharsets.UTF_8);
    }

    private Reply ask() {
        return nobody.post(SELF, "{}", "Authorization", "Bearer " + token);
    }

    private void listedByItsAccount() {
        admin.patch(
                        "/api/v1/namespaces/" + namespace + "/serviceaccounts/default",
                        TestClient.MERGE_PATCH,
                        "{'secrets':[{'name':'s'}]}")
                .is(200);
    }

    private static String today() {
        return SERVER.clock().now().atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }

    private double counted(String metric) {
        return admin.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theDayOfTheLastUseStandsOnTheSecret() {
        String before = today();
        double uses = counted("serviceaccount_legacy_manual_token_uses_total");
        Reply answer = ask().is(201);
        assertThat(answer.headers().allValues("warning")).isEmpty();
        Reply noted = admin.await(secret, reply -> !reply.at(USED).isMissingNode());
        assertThat(noted.at(USED).asText()).isBetween(before, today());
        assertThat(noted.at("/metadata/managedFields").toString()).contains("kube-apiserver");
        assertThat(counted("serviceaccount_legacy_manual_token_uses_total")).isEqualTo(uses + 1);

        ask().is(201);
        assertThat(admin.get(secret).version()).isEqualTo(noted.version());
    }

    @Test
    void whoUsesATokenThatWasMadeForTheAccountIsWarned() {
        listedByItsAccount();
        double uses = counted("serviceaccount_legacy_auto_token_uses_total");
        assertThat(ask().is(201).headers().allValues("warning")).containsExactly(WARNING);
        Reply refused =
                nobody.get("/api/v1/nodes", "Authorization", "Bearer " + token).is(403);
        assertThat(refused.headers().allValues("warning")).containsExactly(WARNING);
        assertThat(counted("serviceaccount_legacy_auto_token_uses_total")).isEqualTo(uses + 2);
    }

    @Test
    void aMarkedTokenIsRefusedUntilTheMarkIsTakenAway() {
        admin.patch(
                        secret,
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'kubernetes.io/legacy-token-invalid-since':'2025-01-01'}}}")
                .is(200);
        double uses = counted("serviceaccount_invalid_legacy_auto_token_uses_total");
        ask().is(401);
        admin.await(secret, reply -> !reply.at(USED).isMissingNode());
        assertThat(counted("serviceaccount_invalid_legacy_auto_token_uses_total"))
                .isEqualTo(uses + 1);
        Reply review =
                admin.create("/apis/authentication.k8s.io/v1/tokenreviews", "{'spec':{'token':'" + token + "'}}");
        assertThat(review.at("/status/error").asText())
                .contains("the token in secret " + namespace + "/s for service account " + namespace
                        + "/default has been marked invalid. Use tokens from the TokenRequest API or manually created"
                        + " secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from"
                        + " the secret to temporarily allow use of this token");
        admin.patch(
                        secret,
                        TestClient.MERGE_PATCH,
                        "{'metadata':{'labels':{'kubernetes.io/legacy-token-invalid-since':null}}}")
                .is(200);
        ask().is(201);
    }
}
