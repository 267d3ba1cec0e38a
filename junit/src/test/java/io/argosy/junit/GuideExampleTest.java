package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The example of docs/junit.md, as it stands there. */
// begin of the example
@ArgosyTest
class GuideExampleTest {
    @Test
    void theReportIsWrittenEveryNightAndTheShopSurvivesANode(Cluster cluster, KubernetesClient client) {
        cluster.image("report:1").exits(Duration.ofMinutes(20), 0);
        cluster.image("shop:1").readyAfter(Duration.ofSeconds(15));
        cluster.apply("""
            apiVersion: batch/v1
            kind: CronJob
            metadata:
              name: report
            spec:
              schedule: "0 3 * * *"
              successfulJobsHistoryLimit: 50
              jobTemplate:
                spec:
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                      - name: report
                        image: report:1
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: shop
            spec:
              replicas: 3
              selector:
                matchLabels: {app: shop}
              template:
                metadata:
                  labels: {app: shop}
                spec:
                  containers:
                  - name: shop
                    image: shop:1
            """);
        cluster.await(
                Deployment.class,
                "shop",
                shop -> shop.getStatus() != null
                        && Integer.valueOf(3).equals(shop.getStatus().getReadyReplicas()));

        cluster.always(
                Pod.class,
                "two of the shop are ready",
                pods -> pods.stream()
                                .filter(pod -> pod.getMetadata().getName().startsWith("shop-"))
                                .filter(pod -> pod.getStatus().getConditions().stream()
                                        .anyMatch(
                                                condition -> condition.getType().equals("Ready")
                                                        && condition.getStatus().equals("True")))
                                .count()
                        >= 2);
        cluster.failNode("n1");
        cluster.advance(Duration.ofDays(15));
        cluster.recoverNode("n1");
        cluster.advance(Duration.ofDays(15));

        assertThat(client.batch().v1().jobs().list().getItems())
                .hasSize(30)
                .allMatch(job -> job.getStatus().getSucceeded() == 1);
        assertThat(client.apps()
                        .deployments()
                        .withName("shop")
                        .get()
                        .getStatus()
                        .getReadyReplicas())
                .isEqualTo(3);
    }
}
// end of the example
