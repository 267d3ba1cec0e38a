package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens that are Secrets: made for accounts, gone with them, and gone when their time is up. */
@ArgosyTest
@Timeout(120)
class TokenLoopsTest {
    private static final String BOOTSTRAP = """
            apiVersion: v1
            kind: Secret
            metadata: {name: bootstrap-token-%1$s, namespace: kube-system}
            type: bootstrap.kubernetes.io/token
            stringData:
              token-id: %1$s
              token-secret: 0123456789abcdef
              usage-bootstrap-authentication: "true"
              %2$s
            """;
    private static final String ACCOUNT = """
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: robot}
            """;
    private static final String TOKEN = """
            apiVersion: v1
            kind: Secret
            metadata: {name: robot-token, annotations: {kubernetes.io/service-account.name: robot}}
            type: kubernetes.io/service-account-token
            """;

    private final Cluster cluster;
    private final KubernetesClient client;

    TokenLoopsTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    private boolean isThere(String id) {
        return client.secrets()
                        .inNamespace("kube-system")
                        .withName("bootstrap-token-" + id)
                        .get()
                != null;
    }

    @Test
    void bootstrapTokensGoWhenTheyExpire() {
        String soon = cluster.now().plus(Duration.ofHours(1)).toString();
        cluster.apply(BOOTSTRAP.formatted("aaaaaa", "expiration: \"" + soon + "\""));
        cluster.apply(BOOTSTRAP.formatted("bbbbbb", "description: for ever"));
        cluster.advance(Duration.ofMinutes(59));
        assertThat(isThere("aaaaaa")).isTrue();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(isThere("aaaaaa")).isFalse();
        cluster.advance(Duration.ofDays(30));
        assertThat(isThere("bbbbbb")).isTrue();
    }

    private Secret token() {
        return client.secrets().withName("robot-token").get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAccountsTokenIsFilledAndGoesWithTheAccount(boolean troubled) {
        if (troubled) {
            cluster.conflictRate(0.3);
        }
        cluster.apply(ACCOUNT);
        cluster.apply(TOKEN);
        cluster.awaitIdle();
        assertThat(token().getData()).containsKeys("token", "namespace", "ca.crt");
        if (troubled) {
            cluster.restartControlPlane();
        }
        client.serviceAccounts().withName("robot").delete();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(token()).isNull();
    }
}
