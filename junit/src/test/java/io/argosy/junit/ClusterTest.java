package io.argosy.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a test can do with its cluster. */
@ArgosyTest
@Timeout(120)
class ClusterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{kind: ConfigMap, metadata: {name: a}} | apiVersion",
                "{apiVersion: v1, metadata: {name: a}} | kind",
                "{apiVersion: v1, kind: ConfigMap} | metadata",
                "{apiVersion: v1, kind: List, items: [{kind: ConfigMap}]} | apiVersion"
            })
    void whatIsNoObjectIsNamedWithWhatItLacks(String document, String missing, Cluster cluster) {
        assertThatThrownBy(() -> cluster.apply(document))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("this has no " + missing + ": {");
    }

    @Test
    void aFreshClusterHasItsNodesReady(Cluster cluster, KubernetesClient client) {
        assertThat(client.nodes().list().getItems())
                .extracting(node -> node.getMetadata().getName())
                .containsExactly("n1", "n2", "n3");
        assertThat(client.nodes().list().getItems())
                .allSatisfy(node -> assertThat(node.getStatus().getConditions())
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True")));
        assertThat(cluster.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    @ArgosyTest(nodes = 1, seed = 99)
    void aMethodMaySayWhatIsDifferent(Cluster cluster, KubernetesClient client) {
        assertThat(client.nodes().list().getItems()).hasSize(1);
        assertThat(cluster.seed()).isEqualTo(99);
    }

    @Test
    void podsBecomeReadyWithoutTimePassing(Cluster cluster, KubernetesClient client) {
        cluster.apply(Manifests.deployment("web", 3, "nginx:1.7.9"));
        cluster.awaitIdle();
        Deployment web = client.apps().deployments().withName("web").get();
        assertThat(web.getStatus().getReadyReplicas()).isEqualTo(3);
        assertThat(cluster.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(client.pods().list().getItems())
                .extracting(pod -> pod.getSpec().getNodeName())
                .containsExactlyInAnyOrder("n1", "n2", "n3");
    }

    @Test
    void applyChangesWhatIsThereAndTakesManyDocuments(Cluster cluster, KubernetesClient client) {
        List<HasMetadata> applied = cluster.apply("""
            apiVersion: v1
            kind: Namespace
            metadata: {name: team}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings, namespace: team}
            data: {color: red, size: large}
            """);
        assertThat(applied).extracting(object -> object.getMetadata().getName()).containsExactly("team", "settings");
        cluster.apply("""
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "team"}, "data": {"color": "blue"}}
            """);
        assertThat(client.configMaps()
                        .inNamespace("team")
                        .withName("settings")
                        .get()
                        .getData())
                .hasSize(1)
                .containsEntry("color", "blue");
    }

    @Test
    void serverSideApplyAndConflictsAreReal(Cluster cluster, KubernetesClient client) {
        cluster.apply("""
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {color: red}
            """);
        ConfigMap mine = new ConfigMapBuilder()
                .withNewMetadata()
                .withName("settings")
                .endMetadata()
                .addToData("color", "green")
                .build();
        assertThatThrownBy(() ->
                        client.configMaps().resource(mine).fieldManager("me").serverSideApply())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(409))
                .hasMessageContaining("argosy-test");
        ConfigMap old = client.configMaps().withName("settings").get();
        client.configMaps().withName("settings").edit(map -> {
            map.getData().put("size", "small");
            return map;
        });
        old.getData().put("size", "large");
        assertThatThrownBy(() -> client.configMaps().resource(old).update())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(409))
                .hasMessageContaining("the object has been modified");
    }

    @Test
    void thirtyDaysAreOneLine(Cluster cluster, KubernetesClient client) {
        cluster.apply(Manifests.deployment("web", 3, "nginx:1.7.9"));
        cluster.image("crashing:1").exits(Duration.ofHours(6), 1);
        cluster.apply(Manifests.deployment("crashing", 1, "crashing:1"));
        cluster.advance(Duration.ofDays(30));
        assertThat(cluster.now()).isEqualTo(Instant.parse("2026-01-31T00:00:00Z"));
        Pod crashing =
                client.pods().withLabel("app", "crashing").list().getItems().getFirst();
        // Six hours of running and up to five minutes of waiting each time.
        assertThat(crashing.getStatus().getContainerStatuses().getFirst().getRestartCount())
                .isEqualTo(118);
        Lease lease =
                client.leases().inNamespace("kube-node-lease").withName("n1").get();
        assertThat(Duration.between(lease.getSpec().getRenewTime().toInstant(), cluster.now()))
                .isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(client.apps().deployments().withName("web").get().getStatus().getReadyReplicas())
                .isEqualTo(3);
    }

    @Test
    void aLostNodeIsSilentUntilItRecovers(Cluster cluster, KubernetesClient client) {
        cluster.apply(Manifests.pod("slow", "Always", "simulated.argosy.io/ready-delay: 30s"));
        cluster.awaitIdle();
        String node = client.pods().withName("slow").get().getSpec().getNodeName();
        Instant lost = cluster.now();
        cluster.failNode(node);
        cluster.advance(Duration.ofSeconds(35));
        assertThat(isReady(client.pods().withName("slow").get())).isFalse();
        assertThat(client.leases()
                        .inNamespace("kube-node-lease")
                        .withName(node)
                        .get()
                        .getSpec()
                        .getRenewTime()
                        .toInstant())
                .isEqualTo(lost);
        cluster.recoverNode(node);
        cluster.awaitIdle();
        assertThat(isReady(client.pods().withName("slow").get())).isTrue();
        assertThat(client.leases()
                        .inNamespace("kube-node-lease")
                        .withName(node)
                        .get()
                        .getSpec()
                        .getRenewTime()
                        .toInstant())
                .isEqualTo(cluster.now());
        assertThatThrownBy(() -> cluster.failNode("n9")).hasMessageContaining("n9");
    }

    @Test
    void podsOfALostNodeAreReplacedElsewhere(Cluster cluster, KubernetesClient client) {
        cluster.apply(Manifests.deployment("web", 3, "nginx:1.7.9"));
        cluster.advance(Duration.ofDays(3)); // heartbeats in between are not played one by one
        Instant lost = cluster.now();
        cluster.failNode("n1");
        Node unknown = cluster.await(
                Node.class,
                "n1",
                node -> node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("Unknown")));
        assertThat(Duration.between(lost, cluster.now())).isBetween(Duration.ZERO, Duration.ofSeconds(50));
        assertThat(unknown.getMetadata().getName()).isEqualTo("n1");
        cluster.await(
                Deployment.class,
                "web",
                d -> Integer.valueOf(3).equals(d.getStatus().getReadyReplicas())
                        && client.pods().list().getItems().stream()
                                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                                        .filter(pod ->
                                                !pod.getSpec().getNodeName().equals("n1"))
                                        .count()
                                == 3);
        assertThat(Duration.between(lost, cluster.now())).isGreaterThan(Duration.ofSeconds(300));
        cluster.recoverNode("n1");
        cluster.await(
                "n1 is Ready and what was left there is gone",
                () -> client.nodes().withName("n1").get().getSpec().getTaints().isEmpty()
                        && client.pods().list().getItems().size() == 3);
    }

    @Test
    void aPodDeletedWhileItsNodeWasLostGoesWhenTheNodeIsBack(Cluster cluster, KubernetesClient client) {
        cluster.apply(Manifests.pod("there", "Always", "a: b"));
        cluster.awaitIdle();
        String node = client.pods().withName("there").get().getSpec().getNodeName();
        cluster.failNode(node);
        client.pods().withName("there").delete();
        cluster.advance(Duration.ofSeconds(35));
        assertThat(client.pods().withName("there").get().getMetadata().getDeletionTimestamp())
                .isNotNull();
        cluster.recoverNode(node);
        cluster.awaitGone(Pod.class, "there");
    }

    @Test
    void droppedWatchesComeAgain(Cluster cluster, KubernetesClient client) throws InterruptedException {
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (SharedIndexInformer<Deployment> informer =
                client.apps().deployments().inform(new Seen(seen))) {
            cluster.apply(Manifests.deployment("before", 1, "nginx:1.7.9"));
            assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("before");
            cluster.dropWatches();
            cluster.apply(Manifests.deployment("after", 1, "nginx:1.7.9"));
            cluster.await(
                    Deployment.class,
                    "after",
                    d -> d.getStatus() != null
                            && Integer.valueOf(1).equals(d.getStatus().getReadyReplicas()));
            assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("after");
            assertThat(informer.getIndexer().list()).hasSize(2);
        }
    }

    @Test
    void controllersGetOverConflicts(Cluster cluster, KubernetesClient client) {
        cluster.conflictRate(1);
        cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9"));
        cluster.advance(Duration.ofSeconds(1));
        assertThat(client.apps().deployments().withName("web").get().getStatus().getReadyReplicas())
                .isNull();
        cluster.conflictRate(0.2);
        cluster.await(
                Deployment.class,
                "web",
                d -> Integer.valueOf(2).equals(d.getStatus().getReadyReplicas()));
        assertThatThrownBy(() -> cluster.conflictRate(1.5)).hasMessageContaining("1.5");
    }

    @Test
    void controllersGetOverWritesThatFail(Cluster cluster, KubernetesClient client) {
        cluster.failureRate(1, Failure.INTERNAL_ERROR, Failure.TOO_MANY_REQUESTS);
        cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9"));
        cluster.advance(Duration.ofSeconds(1));
        assertThat(client.apps().replicaSets().list().getItems()).isEmpty();
        cluster.failureRate(0.3);
        cluster.await(
                Deployment.class,
                "web",
                d -> d.getStatus() != null
                        && Integer.valueOf(2).equals(d.getStatus().getReadyReplicas()));
        assertThatThrownBy(() -> cluster.failureRate(-1)).hasMessageContaining("-1");
    }

    @Test
    void aRestartedControlPlaneGoesOnWhereItWas(Cluster cluster, KubernetesClient client) {
        cluster.image("slow:1").readyAfter(Duration.ofSeconds(20));
        cluster.apply(Manifests.deployment("web", 3, "slow:1"));
        cluster.advance(Duration.ofSeconds(10));
        List<String> before = names(client);
        cluster.restartControlPlane();
        cluster.advance(Duration.ofSeconds(9));
        assertThat(client.apps().deployments().withName("web").get().getStatus().getReadyReplicas())
                .isNull();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(client.apps().deployments().withName("web").get().getStatus().getReadyReplicas())
                .isEqualTo(3);
        assertThat(names(client)).isEqualTo(before);
    }

    @Test
    void namespacesGoAwayAndOwnersTakeTheirChildrenAlong(Cluster cluster, KubernetesClient client) {
        client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("team")
                        .endMetadata()
                        .build())
                .create();
        cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9")
                .replace("metadata:\n  name: web", "metadata:\n  namespace: team\n  name: web"));
        cluster.apply(Manifests.deployment("web", 2, "nginx:1.7.9"));
        cluster.awaitIdle();
        client.namespaces().withName("team").delete();
        cluster.awaitGone(Namespace.class, "", "team");
        assertThat(client.pods().inNamespace("team").list().getItems()).isEmpty();
        client.apps().deployments().withName("web").delete();
        cluster.await(
                "no child left",
                () -> names(client).isEmpty()
                        && client.resources(ReplicaSet.class).list().getItems().isEmpty());
    }

    private static List<String> names(KubernetesClient client) {
        return client.pods().list().getItems().stream()
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    private record Seen(LinkedBlockingQueue<String> names) implements ResourceEventHandler<Deployment> {
        @Override
        public void onAdd(Deployment deployment) {
            names.add(deployment.getMetadata().getName());
        }

        @Override
        public void onUpdate(Deployment before, Deployment after) {}

        @Override
        public void onDelete(Deployment deployment, boolean unknown) {}
    }
}
