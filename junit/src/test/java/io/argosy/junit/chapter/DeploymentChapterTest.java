package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Deployment chapter: nginx rolls from version to version, stops at one that does not exist, and goes back. */
@ArgosyTest
@Timeout(300)
class DeploymentChapterTest {
    private static final String NGINX = """
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: nginx-deployment
          labels:
            app: nginx
        spec:
          replicas: 3
          selector:
            matchLabels:
              app: nginx
          template:
            metadata:
              labels:
                app: nginx
            spec:
              containers:
              - name: nginx
                image: nginx:1.7.9
                ports:
                - containerPort: 80
          strategy:
            type: RollingUpdate
            rollingUpdate:
              maxSurge: 1
              maxUnavailable: 1
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    DeploymentChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    @InTrouble
    void aRollingUpdateOfThreeKeepsTwoAvailableAndFourAtMost(Trouble trouble) {
        deploy(trouble);
        watchOver();
        setImage("nginx:1.9.1");
        trouble.until(cluster, "all three are of the new version", () -> rolledOut("nginx:1.9.1"));
        assertThat(sizes()).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(java.util.Map.of("1", 0, "2", 3)));
    }

    @Test
    void aRollingUpdateTellsItsSteps() {
        deploy(Trouble.NONE);
        setImage("nginx:1.9.1");
        Trouble.NONE.until(cluster, "all three are of the new version", () -> rolledOut("nginx:1.9.1"));
        String before = replicaSet("1").getMetadata().getName();
        String after = replicaSet("2").getMetadata().getName();
        assertThat(client.v1().events().list().getItems())
                .filteredOn(event -> event.getReason().equals("ScalingReplicaSet"))
                .extracting(event -> event.getMessage())
                .contains(
                        "Scaled up replica set " + before + " from 0 to 3",
                        "Scaled up replica set " + after + " from 0 to 1",
                        "Scaled down replica set " + before + " from 3 to 2")
                .anyMatch(message -> message.startsWith("Scaled up replica set " + after) && message.endsWith("to 3"))
                .anyMatch(
                        message -> message.startsWith("Scaled down replica set " + before) && message.endsWith("to 0"));
    }

    @InTrouble
    void anImageThatDoesNotExistStopsTheRolloutAndUndoBringsTheOldBack(Trouble trouble) {
        deploy(trouble);
        setImage("nginx:1.9.1");
        trouble.until(cluster, "all three are of the new version", () -> rolledOut("nginx:1.9.1"));
        watchOver();
        cluster.image("nginx:1.91").missing();
        setImage("nginx:1.91");
        trouble.until(cluster, "two of the bad version wait", () -> waiting("nginx:1.91") == 2);
        assertThat(sizes()).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(java.util.Map.of("1", 0, "2", 2, "3", 2)));
        cluster.await(
                Deployment.class,
                "default",
                "nginx-deployment",
                Duration.ofMinutes(20),
                deployment -> deployment.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Progressing")
                                && condition.getStatus().equals("False")
                                && condition.getReason().equals("ProgressDeadlineExceeded")));
        assertThat(Pods.ready(pods())).isEqualTo(2);

        client.apps().deployments().withName("nginx-deployment").rolling().undo();
        trouble.until(cluster, "all three are of the last good version", () -> rolledOut("nginx:1.9.1"));
        assertThat(sizes()).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(java.util.Map.of("1", 0, "3", 0, "4", 3)));
    }

    @InTrouble
    void manyEditsDuringAPauseMakeOneNewReplicaSet(Trouble trouble) {
        deploy(trouble);
        client.apps().deployments().withName("nginx-deployment").rolling().pause();
        setImage("nginx:1.8");
        setImage("nginx:1.9.1");
        for (int i = 0; i < 5; i++) {
            trouble.strike(cluster);
            cluster.advance(Duration.ofSeconds(1));
        }
        assertThat(client.apps().replicaSets().list().getItems()).hasSize(1);
        assertThat(pods()).allMatch(pod -> Pods.image(pod).equals("nginx:1.7.9"));
        client.apps().deployments().withName("nginx-deployment").rolling().resume();
        trouble.until(cluster, "all three are of the new version", () -> rolledOut("nginx:1.9.1"));
        assertThat(sizes()).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(java.util.Map.of("1", 0, "2", 3)));
    }

    private void deploy(Trouble trouble) {
        for (String image : List.of("nginx:1.7.9", "nginx:1.8", "nginx:1.9.1")) {
            cluster.image(image).readyAfter(Duration.ofSeconds(2));
        }
        trouble.begin(cluster);
        cluster.apply(NGINX);
        trouble.until(cluster, "three are ready", () -> rolledOut("nginx:1.7.9"));
    }

    private void watchOver() {
        cluster.always(Pod.class, "two are available", pods -> Pods.ready(pods) >= 2);
        cluster.always(
                ReplicaSet.class,
                "at most four are asked for",
                sets -> sets.stream()
                                .mapToInt(set -> set.getSpec().getReplicas())
                                .sum()
                        <= 4);
    }

    private void setImage(String image) {
        cluster.awaitIdle(); // fabric8's edit insists on the revision it has read
        client.apps().deployments().withName("nginx-deployment").edit(deployment -> {
            deployment
                    .getSpec()
                    .getTemplate()
                    .getSpec()
                    .getContainers()
                    .getFirst()
                    .setImage(image);
            return deployment;
        });
    }

    private List<Pod> pods() {
        return client.pods().withLabel("app", "nginx").list().getItems();
    }

    private long waiting(String image) {
        return pods().stream()
                .filter(pod -> Pods.image(pod).equals(image) && Pods.isActive(pod))
                .filter(pod -> pod.getStatus().getContainerStatuses() != null
                        && pod.getStatus().getContainerStatuses().stream()
                                .anyMatch(status -> status.getState().getWaiting() != null))
                .count();
    }

    private boolean rolledOut(String image) {
        Deployment deployment =
                client.apps().deployments().withName("nginx-deployment").get();
        return deployment.getStatus() != null
                && deployment
                        .getMetadata()
                        .getGeneration()
                        .equals(deployment.getStatus().getObservedGeneration())
                && Integer.valueOf(3).equals(deployment.getStatus().getUpdatedReplicas())
                && Integer.valueOf(3).equals(deployment.getStatus().getAvailableReplicas())
                && pods().size() == 3
                && pods().stream().allMatch(pod -> Pods.image(pod).equals(image));
    }

    /** The size of each ReplicaSet by its revision. */
    private TreeMap<String, Integer> sizes() {
        TreeMap<String, Integer> sizes = new TreeMap<>();
        client.apps()
                .replicaSets()
                .list()
                .getItems()
                .forEach(set -> sizes.put(revision(set), set.getSpec().getReplicas()));
        return sizes;
    }

    private ReplicaSet replicaSet(String revision) {
        return client.apps().replicaSets().list().getItems().stream()
                .filter(set -> revision(set).equals(revision))
                .findFirst()
                .orElseThrow();
    }

    private static String revision(ReplicaSet set) {
        return set.getMetadata().getAnnotations().get("deployment.kubernetes.io/revision");
    }
}
