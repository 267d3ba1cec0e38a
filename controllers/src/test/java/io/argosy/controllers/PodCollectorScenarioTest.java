package io.argosy.controllers;

import static io.argosy.controllers.Manifests.pod;
import static io.argosy.controllers.Manifests.replicaSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods that no node will remove do not stay for ever. */
@Timeout(120)
class PodCollectorScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void podsOfALostNodeAreGivenUpAfterAWhileAndReplacedElsewhere() {
        cluster.create(replicaSet("web", 4));
        cluster.eventually(
                "run",
                () -> cluster.livingPods().size() == 4
                        && cluster.livingPods().stream()
                                .allMatch(pod -> pod.getSpec().getNodeName() != null));
        cluster.settle();
        cluster.resources(Node.class).delete("", "n2", DeleteOptions.DEFAULT);
        cluster.settle();
        assertThat(cluster.livingPods()).hasSize(4);
        cluster.advance(Duration.ofSeconds(41));
        cluster.eventually(
                "all on the other node",
                () -> cluster.livingPods().size() == 4
                        && cluster.livingPods().stream()
                                .allMatch(pod -> "n1".equals(pod.getSpec().getNodeName())));
    }

    @Test
    void aPodOnANodeThatNeverWasIsMarkedFailedAndDeleted() {
        cluster.create(new PodBuilder(pod("unplaced", Map.of()))
                .editMetadata()
                .withFinalizers("test.example.com/hold")
                .endMetadata()
                .editSpec()
                .withNodeName("nowhere")
                .endSpec()
                .build());
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        cluster.advance(Duration.ofSeconds(41));
        cluster.eventually("marked", () -> {
            Pod pod = cluster.resources(Pod.class).get("default", "unplaced");
            return pod.getStatus() != null
                    && "Failed".equals(pod.getStatus().getPhase())
                    && pod.getMetadata().getDeletionTimestamp() != null;
        });
        assertThat(cluster.resources(Pod.class)
                        .get("default", "unplaced")
                        .getStatus()
                        .getConditions())
                .anySatisfy(condition -> assertThat(condition.getMessage()).isEqualTo("PodGC: node no longer exists"));
    }

    @Test
    void aNodeThatIsOutOfServiceLosesItsPodsWithoutBeingAsked() {
        cluster.create(replicaSet("web", 4));
        cluster.eventually(
                "run",
                () -> cluster.livingPods().size() == 4
                        && cluster.livingPods().stream()
                                .allMatch(pod -> pod.getSpec().getNodeName() != null));
        cluster.settle();
        cluster.silent.add("n2");
        cluster.advance(Duration.ofSeconds(60));
        cluster.eventually(
                "silent", () -> !Nodes.isReady(cluster.resources(Node.class).get("", "n2")));
        assertThat(cluster.pods()).anyMatch(pod -> "n2".equals(pod.getSpec().getNodeName()));
        takeOutOfService("n2");
        cluster.eventually(
                "nothing is left on it",
                () -> cluster.pods().stream()
                        .noneMatch(pod -> "n2".equals(pod.getSpec().getNodeName())));
    }

    @Test
    void aNodeThatWasTakenOutOfServiceBeforeItWasMissedLosesItsPodsWhenItIs() {
        cluster.runs = pod -> false; // so that nothing is written to the pods when their node is missed
        cluster.create(replicaSet("web", 4));
        cluster.eventually(
                "placed",
                () -> cluster.livingPods().size() == 4
                        && cluster.livingPods().stream()
                                .allMatch(pod -> pod.getSpec().getNodeName() != null));
        cluster.settle();
        cluster.silent.add("n2");
        takeOutOfService("n2");
        cluster.settle();
        assertThat(cluster.pods())
                .as("told to go, by a node that still seems to be there")
                .anyMatch(pod -> "n2".equals(pod.getSpec().getNodeName())
                        && pod.getMetadata().getDeletionTimestamp() != null);
        cluster.advance(Duration.ofSeconds(60));
        cluster.eventually(
                "nothing is left on it",
                () -> cluster.pods().stream()
                        .noneMatch(pod -> "n2".equals(pod.getSpec().getNodeName())));
    }

    private void takeOutOfService(String node) {
        cluster.eventually("tainted", () -> {
            try {
                cluster.resources(Node.class)
                        .update(new NodeBuilder(cluster.resources(Node.class).get("", node))
                                .editOrNewSpec()
                                .addNewTaint()
                                .withKey("node.kubernetes.io/out-of-service")
                                .withValue("nodeshutdown")
                                .withEffect("NoExecute")
                                .endTaint()
                                .endSpec()
                                .build());
                return true;
            } catch (ApiException conflict) {
                return false;
            }
        });
    }

    @Test
    void aPodThatWasDeletedBeforeItHadANodeIsMarkedFailed() {
        cluster.runs = pod -> false;
        cluster.create(new PodBuilder(pod("held", Map.of()))
                .editMetadata()
                .withFinalizers("test.example.com/hold")
                .endMetadata()
                .editSpec()
                .withNodeSelector(Map.of("no", "such"))
                .endSpec()
                .build());
        cluster.settle();
        assertThat(cluster.resources(Pod.class).get("default", "held").getSpec().getNodeName())
                .isNull();
        cluster.resources(Pod.class).delete("default", "held", DeleteOptions.DEFAULT);
        cluster.eventually("marked", () -> {
            Pod pod = cluster.resources(Pod.class).get("default", "held");
            return pod.getStatus() != null && "Failed".equals(pod.getStatus().getPhase());
        });
    }
}
