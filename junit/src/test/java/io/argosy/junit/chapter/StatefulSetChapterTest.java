package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The StatefulSet chapters: ordinals in order, an identity that survives, and an update that stops at a partition. */
@ArgosyTest
@Timeout(300)
class StatefulSetChapterTest {
    private static final String WEB = """
        apiVersion: v1
        kind: Service
        metadata:
          name: nginx
          labels:
            app: nginx
        spec:
          ports:
          - port: 80
            name: web
          clusterIP: None
          selector:
            app: nginx
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata:
          name: web
        spec:
          serviceName: "nginx"
          replicas: 2
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
                image: nginx:1.9.1
                ports:
                - containerPort: 80
                  name: web
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    StatefulSetChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @InTrouble
    void twoOrdinalsAreMadeInOrderAndAgainWhenTheyAreDeleted(Trouble trouble) {
        begin(trouble);
        cluster.apply(WEB);
        trouble.until(cluster, "both are ready", () -> ready(2));
        assertInOrder();
        List<String> before = uids();

        client.pods().withLabel("app", "nginx").delete();
        trouble.until(
                cluster,
                "both are ready again",
                () -> ready(2) && uids().stream().noneMatch(before::contains));
        assertInOrder();
        assertThat(pods()).allSatisfy(pod -> {
            assertThat(pod.getSpec().getHostname()).isEqualTo(pod.getMetadata().getName());
            assertThat(pod.getSpec().getSubdomain()).isEqualTo("nginx");
        });
    }

    @InTrouble
    void aPartitionOfTwoUpdatesOnlyTheThirdAndKeepsTheOthersOldAlsoWhenTheyAreDeleted(Trouble trouble) {
        begin(trouble);
        cluster.apply(WEB.replace("replicas: 2", "replicas: 3"));
        trouble.until(cluster, "all three are ready", () -> ready(3));
        cluster.always(Pod.class, "at most one is missing", pods -> Pods.ready(pods) >= 2);
        patch("{\"spec\":{\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":2}}}}");
        patch("{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"nginx\",\"image\":\"nginx:1.10\"}]}}}}");
        trouble.until(
                cluster,
                "web-2 is updated",
                () -> ready(3) && images().equals(List.of("nginx:1.9.1", "nginx:1.9.1", "nginx:1.10")));

        String old = client.pods().withName("web-1").get().getMetadata().getUid();
        client.pods().withName("web-1").delete();
        trouble.until(cluster, "web-1 is back", () -> ready(3) && !uids().contains(old));
        assertThat(images()).containsExactly("nginx:1.9.1", "nginx:1.9.1", "nginx:1.10");

        patch("{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}");
        trouble.until(
                cluster, "all are updated", () -> ready(3) && images().stream().allMatch("nginx:1.10"::equals));
        StatefulSet web = client.apps().statefulSets().withName("web").get();
        assertThat(web.getStatus().getCurrentRevision())
                .isEqualTo(web.getStatus().getUpdateRevision());
    }

    private void begin(Trouble trouble) {
        cluster.image("nginx:1.9.1").readyAfter(Duration.ofSeconds(2));
        cluster.image("nginx:1.10").readyAfter(Duration.ofSeconds(2));
        Set<String> seen = new HashSet<>();
        cluster.always(
                Pod.class,
                "a pod comes only while all before it are ready",
                pods -> pods.stream().filter(pod -> seen.add(pod.getMetadata().getUid())).toList().stream()
                        .allMatch(pod -> ordinalsBefore(pod).equals(readyBefore(pod, pods))));
        trouble.begin(cluster);
    }

    private static List<Integer> ordinalsBefore(Pod pod) {
        return IntStream.range(0, ordinal(pod)).boxed().toList();
    }

    private static List<Integer> readyBefore(Pod pod, List<Pod> pods) {
        return pods.stream()
                .filter(Pods::isReady)
                .map(StatefulSetChapterTest::ordinal)
                .filter(before -> before < ordinal(pod))
                .sorted()
                .toList();
    }

    private static int ordinal(Pod pod) {
        return Integer.parseInt(pod.getMetadata().getName().substring("web-".length()));
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    private void patch(String patch) {
        client.apps().statefulSets().withName("web").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
    }

    private boolean ready(int count) {
        StatefulSet web = client.apps().statefulSets().withName("web").get();
        return web.getStatus() != null
                && web.getMetadata().getGeneration().equals(web.getStatus().getObservedGeneration())
                && Integer.valueOf(count).equals(web.getStatus().getReadyReplicas())
                && pods().size() == count
                && Pods.ready(pods()) == count;
    }

    /** Each was made only when the one before it was ready. */
    private void assertInOrder() {
        assertThat(pods()).extracting(pod -> pod.getMetadata().getName()).containsExactly("web-0", "web-1");
        assertThat(Instant.parse(pods().get(1).getMetadata().getCreationTimestamp()))
                .isAfterOrEqualTo(readySince(pods().get(0)));
    }

    private static Instant readySince(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("Ready"))
                .map(PodCondition::getLastTransitionTime)
                .map(Instant::parse)
                .findFirst()
                .orElseThrow();
    }

    private List<Pod> pods() {
        return client.pods().withLabel("app", "nginx").list().getItems();
    }

    private List<String> uids() {
        return pods().stream().map(pod -> pod.getMetadata().getUid()).toList();
    }

    private List<String> images() {
        return pods().stream().map(Pods::image).toList();
    }
}
