package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The DaemonSet chapter: fluentd on every node that it tolerates, the master included; an update, and back to revision 1. */
@ArgosyTest
@Timeout(300)
class DaemonSetChapterTest {
    private static final String FLUENTD = """
        apiVersion: apps/v1
        kind: DaemonSet
        metadata:
          name: fluentd-elasticsearch
          namespace: kube-system
          labels:
            k8s-app: fluentd-logging
        spec:
          selector:
            matchLabels:
              name: fluentd-elasticsearch
          template:
            metadata:
              labels:
                name: fluentd-elasticsearch
            spec:
              tolerations:
              - key: node-role.kubernetes.io/master
                effect: NoSchedule
              containers:
              - name: fluentd-elasticsearch
                image: k8s.gcr.io/fluentd-elasticsearch:1.20
                resources:
                  limits:
                    memory: 200Mi
                  requests:
                    cpu: 100m
                    memory: 200Mi
                volumeMounts:
                - name: varlog
                  mountPath: /var/log
                - name: varlibdockercontainers
                  mountPath: /var/lib/docker/containers
                  readOnly: true
              terminationGracePeriodSeconds: 30
              volumes:
              - name: varlog
                hostPath:
                  path: /var/log
              - name: varlibdockercontainers
                hostPath:
                  path: /var/lib/docker/containers
        """;

    private static final String OLD = "k8s.gcr.io/fluentd-elasticsearch:1.20";
    private static final String NEW = "k8s.gcr.io/fluentd-elasticsearch:v2.2.0";

    private final Cluster cluster;
    private final KubernetesClient client;

    DaemonSetChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    @InTrouble
    void fluentdRunsWhereItIsToleratedAndGoesBackToItsFirstRevision(Trouble trouble) {
        cluster.image(OLD).readyAfter(Duration.ofSeconds(2));
        cluster.image(NEW).readyAfter(Duration.ofSeconds(2));
        taint("n1", "node-role.kubernetes.io/master");
        taint("n3", "dedicated");
        cluster.awaitIdle(); // a daemon made before the taint was heard of would stay, as NoSchedule evicts nobody
        cluster.always(
                Pod.class,
                "one daemon on a node",
                pods -> pods.stream()
                        .filter(pod -> Pods.isActive(pod) && Pods.isOf(pod, "name", "fluentd-elasticsearch"))
                        .map(DaemonSetChapterTest::node)
                        .allMatch(new java.util.HashSet<>()::add));
        trouble.begin(cluster);

        cluster.apply(FLUENTD);
        trouble.until(cluster, "fluentd runs", () -> rolledOut(OLD, 2));
        assertThat(nodes()).containsExactly("n1", "n2");
        cordon("n2");
        taint("n3", null);
        trouble.until(cluster, "fluentd runs everywhere", () -> rolledOut(OLD, 3));
        assertThat(nodes()).containsExactly("n1", "n2", "n3");

        patch("{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"fluentd-elasticsearch\",\"image\":\""
                + NEW + "\"}]}}}}");
        trouble.until(cluster, "the new version runs", () -> rolledOut(NEW, 3));
        assertThat(revisions()).containsExactly(1L, 2L);

        patch(client.getKubernetesSerialization().asJson(revision(1).getData()));
        trouble.until(cluster, "the old version runs again", () -> rolledOut(OLD, 3));
        assertThat(revisions()).containsExactly(2L, 3L);
    }

    private void taint(String node, String key) {
        client.nodes().withName(node).edit(found -> {
            found.getSpec().setTaints(key == null ? List.of() : List.of(new Taint("NoSchedule", key, null, null)));
            return found;
        });
    }

    private void cordon(String node) {
        client.nodes().withName(node).edit(found -> {
            found.getSpec().setUnschedulable(true);
            return found;
        });
    }

    private void patch(String patch) {
        client.apps()
                .daemonSets()
                .inNamespace("kube-system")
                .withName("fluentd-elasticsearch")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
    }

    private List<ControllerRevision> history() {
        return client.apps()
                .controllerRevisions()
                .inNamespace("kube-system")
                .withLabel("name", "fluentd-elasticsearch")
                .list()
                .getItems();
    }

    private List<Long> revisions() {
        return history().stream().map(ControllerRevision::getRevision).sorted().toList();
    }

    private ControllerRevision revision(long number) {
        return history().stream()
                .filter(revision -> revision.getRevision() == number)
                .findFirst()
                .orElseThrow();
    }

    private boolean rolledOut(String image, int count) {
        DaemonSet set = client.apps()
                .daemonSets()
                .inNamespace("kube-system")
                .withName("fluentd-elasticsearch")
                .get();
        return set.getStatus() != null
                && set.getMetadata().getGeneration().equals(set.getStatus().getObservedGeneration())
                && Integer.valueOf(count).equals(set.getStatus().getDesiredNumberScheduled())
                && Integer.valueOf(count).equals(set.getStatus().getUpdatedNumberScheduled())
                && Integer.valueOf(count).equals(set.getStatus().getNumberAvailable())
                && pods().size() == count
                && pods().stream().allMatch(pod -> Pods.image(pod).equals(image));
    }

    private List<Pod> pods() {
        return client.pods()
                .inNamespace("kube-system")
                .withLabel("name", "fluentd-elasticsearch")
                .list()
                .getItems();
    }

    private List<String> nodes() {
        return pods().stream().map(pod -> pod.getSpec().getNodeName()).sorted().toList();
    }

    /** The node a daemon is on or, before it is bound, is meant for. */
    private static String node(Pod pod) {
        return pod.getSpec()
                .getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms()
                .getFirst()
                .getMatchFields()
                .getFirst()
                .getValues()
                .getFirst();
    }
}
