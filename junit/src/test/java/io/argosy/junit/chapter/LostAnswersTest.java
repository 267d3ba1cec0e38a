package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.junit.Failure;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Most writes of the cluster's own parts seem to fail, or all of them: what was made is not made twice, and what was not is made later. */
@ArgosyTest
@Timeout(300)
class LostAnswersTest {
    private static final String WORKLOADS = """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: 3
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec: {containers: [{name: main, image: "%1$s"}]}
        ---
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: log}
        spec:
          selector: {matchLabels: {app: log}}
          template:
            metadata: {labels: {app: log}}
            spec: {containers: [{name: main, image: "%1$s"}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: db}
        spec:
          replicas: 2
          serviceName: db
          selector: {matchLabels: {app: db}}
          template:
            metadata: {labels: {app: db}}
            spec: {containers: [{name: main, image: "%1$s"}]}
        ---
        apiVersion: batch/v1
        kind: Job
        metadata: {name: pi}
        spec:
          parallelism: 2
          completions: 4
          template:
            metadata: {labels: {app: pi}}
            spec: {restartPolicy: Never, containers: [{name: main, image: bc}]}
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    LostAnswersTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
        cluster.image("bc").exits(Duration.ofSeconds(5), 0);
        atMost("web", 4);
        atMost("db", 2);
        atMost("pi", 2);
        cluster.always(
                Pod.class,
                "one daemon on a node",
                pods -> of("log", pods).stream()
                        .map(pod -> pod.getSpec().getAffinity())
                        .allMatch(new HashSet<>()::add));
    }

    private void atMost(String app, int count) {
        cluster.always(
                Pod.class,
                "at most " + count + " of " + app,
                pods -> of(app, pods).size() <= count);
    }

    private static List<Pod> of(String app, List<Pod> pods) {
        return pods.stream()
                .filter(pod -> Pods.isActive(pod) && Pods.isOf(pod, "app", app))
                .toList();
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    @Test
    void whatWasMadeIsNotMadeTwice() {
        cluster.failureRate(0.7, Failure.LOST_ANSWER);
        cluster.apply(WORKLOADS.formatted("nginx:1"));
        cluster.await("all is there", () -> isThere("nginx:1"));
        cluster.always(Pod.class, "two are ready", pods -> Pods.ready(of("web", pods)) >= 2);
        cluster.apply(WORKLOADS.formatted("nginx:2"));
        cluster.await("all is new", () -> isThere("nginx:2"));
        assertThat(client.batch().v1().jobs().withName("pi").get().getStatus().getSucceeded())
                .isEqualTo(4);
    }

    @Test
    void whatWasDeletedGoesWithAllThatItOwns() {
        cluster.failureRate(0.7, Failure.LOST_ANSWER);
        cluster.apply(WORKLOADS.formatted("nginx:1"));
        cluster.await("all is there", () -> isThere("nginx:1"));
        client.apps().deployments().delete();
        client.apps().daemonSets().delete();
        client.apps().statefulSets().delete();
        client.batch().v1().jobs().delete();
        cluster.await("all is gone", () -> client.pods().list().getItems().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void whatWasNotMadeIsMadeLater(Failure failure) {
        cluster.failureRate(1, failure);
        cluster.apply(WORKLOADS.formatted("nginx:1"));
        cluster.advance(Duration.ofSeconds(30));
        assertThat(client.pods().list().getItems().isEmpty()).isEqualTo(failure != Failure.LOST_ANSWER);
        cluster.failureRate(0);
        cluster.await("all is there", () -> isThere("nginx:1"));
    }

    private boolean isThere(String image) {
        List<Pod> pods = client.pods().list().getItems();
        return ready("web", image, pods) == 3
                && ready("log", image, pods) == 3
                && ready("db", image, pods) == 2
                && client.batch().v1().jobs().withName("pi").get().getStatus().getCompletionTime() != null;
    }

    private static long ready(String app, String image, List<Pod> pods) {
        List<Pod> own = of(app, pods);
        return own.stream().allMatch(pod -> Pods.image(pod).equals(image)) ? Pods.ready(own) : -1;
    }
}
