package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters beside each other and one after the other, and what a test is told when it waits in vain. */
@Timeout(300)
class RunTest {
    @Test
    void theSameSeedGivesTheSameNamesAndAnotherSeedOthers() {
        assertThat(run(5)).isEqualTo(run(5));
        assertThat(run(5)).doesNotContainAnyElementsOf(run(6));
    }

    /** What chance decided in a run: names, uids, addresses. */
    private static TreeSet<String> run(long seed) {
        try (Cluster cluster = Cluster.start(2, seed)) {
            cluster.conflictRate(0.3);
            cluster.apply(Manifests.deployment("web", 4, "nginx:1.7.9"));
            cluster.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec:
                  type: NodePort
                  selector: {app: web}
                  ports: [{port: 80}]
                """);
            cluster.await(
                    Deployment.class,
                    "web",
                    d -> d.getStatus() != null
                            && Integer.valueOf(4).equals(d.getStatus().getReadyReplicas()));
            TreeSet<String> decided = new TreeSet<>();
            cluster.client().pods().list().getItems().forEach(pod -> {
                decided.add(pod.getMetadata().getName());
                decided.add(pod.getMetadata().getUid());
            });
            var service = cluster.client().services().withName("web").get();
            decided.add(service.getSpec().getClusterIP());
            decided.add("port " + service.getSpec().getPorts().getFirst().getNodePort());
            return decided;
        }
    }

    @Test
    void thirtyClustersSideBySide() {
        List<Cluster> clusters = new ArrayList<>();
        try {
            IntStream.range(0, 30).forEach(i -> clusters.add(Cluster.start(3, i)));
            clusters.parallelStream().forEach(cluster -> {
                cluster.apply(Manifests.deployment("web", 3, "nginx:1.7.9"));
                cluster.advance(Duration.ofDays(1));
            });
            assertThat(clusters)
                    .allSatisfy(cluster -> assertThat(cluster.client()
                                    .apps()
                                    .deployments()
                                    .withName("web")
                                    .get()
                                    .getStatus()
                                    .getReadyReplicas())
                            .isEqualTo(3));
        } finally {
            clusters.forEach(Cluster::close);
        }
        assertThat(ProcessHandle.current().children()).isEmpty();
    }

    @Test
    void whoWaitsInVainIsToldWhy() {
        try (Cluster cluster = Cluster.start(2, 1)) {
            cluster.image("nginx:1.91").missing();
            cluster.apply(Manifests.deployment("web", 2, "nginx:1.91"));
            assertThatThrownBy(() -> cluster.await(
                            Deployment.class,
                            "default",
                            "web",
                            Duration.ofMinutes(2),
                            d -> d.getStatus() != null
                                    && Integer.valueOf(2).equals(d.getStatus().getReadyReplicas())))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("in vain for PT2M, until 2026-01-01T00:02:00Z")
                    .hasMessageContaining("Deployment default/web")
                    .hasMessageContaining("condition Available=False MinimumReplicasUnavailable")
                    .hasMessageContaining("ReplicaSet default/web-")
                    .hasMessageContaining("SuccessfulCreate: Created pod: web-")
                    .hasMessageContaining("waits: ImagePullBackOff (Back-off pulling image \"nginx:1.91\"")
                    .hasMessageContaining("Warning Failed: Failed to pull image \"nginx:1.91\"");
            cluster.apply(Manifests.deployment("huge", 1, "nginx:1")
                    .replace("image: nginx:1", "image: nginx:1\n        resources: {requests: {cpu: '64'}}"));
            assertThatThrownBy(() -> cluster.await("huge runs", Duration.ofMinutes(1), () -> false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("huge runs")
                    .hasMessageContaining("on no node")
                    .hasMessageContaining("0/2 nodes are available: 2 Insufficient cpu");
            assertThatThrownBy(() -> cluster.await(Pod.class, "absent", pod -> true))
                    .hasMessageContaining("Pod default/absent is not there")
                    .hasMessageContaining("there are: huge-");
        }
    }

    @Test
    void aBrokenInvariantFailsTheNextStepAndSaysWhen() {
        try (Cluster cluster = Cluster.start(2, 1)) {
            cluster.always(Pod.class, "at most two pods", pods -> pods.size() <= 2);
            cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9"));
            cluster.awaitIdle();
            cluster.client().apps().deployments().withName("web").scale(3);
            assertThatThrownBy(cluster::awaitIdle)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("at most two pods")
                    .hasMessageContaining("2026-01-01T00:00:00Z")
                    .hasMessageContaining("Pod default/web-");
        }
    }

    @Test
    void aClusterThatIsClosedAnswersNoMore() {
        Cluster cluster = Cluster.start(1, 1);
        cluster.close();
        assertThatThrownBy(() -> cluster.client().pods().list()).isInstanceOf(RuntimeException.class);
    }
}
