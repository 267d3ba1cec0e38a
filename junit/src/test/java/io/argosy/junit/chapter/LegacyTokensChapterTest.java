package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens of old that nobody uses go after two years: the loop has all the rights it needs for that, in a cluster that has no node to keep it busy. */
@ArgosyTest(nodes = 0)
@Timeout(120)
class LegacyTokensChapterTest {
    @Test
    void aTokenThatNobodyUsesIsMarkedAndAYearLaterGone(Cluster cluster, KubernetesClient client) {
        cluster.apply("""
            apiVersion: v1
            kind: ServiceAccount
            metadata: {name: old}
            secrets: [{name: old-token}]
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: old-token, annotations: {kubernetes.io/service-account.name: old}}
            type: kubernetes.io/service-account-token
            """);
        Duration aYear = Duration.ofDays(367);
        cluster.advance(aYear);
        assertThat(token(client).getMetadata().getLabels()).containsKey("kubernetes.io/legacy-token-invalid-since");
        cluster.advance(aYear);
        assertThat(token(client)).isNull();
    }

    private static Secret token(KubernetesClient client) {
        return client.secrets().withName("old-token").get();
    }
}
