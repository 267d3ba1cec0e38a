package io.argosy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims on nodes that exist as state only: the whole way from a stateful set to bound volumes and back, under the real rights. */
@Timeout(120)
class SimulatedStorageTest {
    private final Cluster cluster =
            Cluster.builder().inMemory(new MemoryLog()).simulatedNodes(3).start();
    private final Client client = cluster.client();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void everyPodOfAStatefulSetGetsAVolumeOnItsNodeAndClaimsTakeThemAway() {
        client.resources(StatefulSet.class).create(set(3));
        eventually("three bound claims", () -> {
            List<PersistentVolumeClaim> claims =
                    client.resources(PersistentVolumeClaim.class).list("default", Map.of());
            return claims.size() == 3
                    && claims.stream()
                            .allMatch(claim -> "Bound".equals(claim.getStatus().getPhase()));
        });
        eventually(
                "three pods on nodes, which they get when their claims are bound",
                () -> client.resources(Pod.class).list("default", Map.of()).stream()
                                .filter(pod -> pod.getSpec().getNodeName() != null)
                                .count()
                        == 3);
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            PersistentVolumeClaim claim =
                    client.resources(PersistentVolumeClaim.class).get("default", "www-web-" + ordinal);
            PersistentVolume volume = client.resources(PersistentVolume.class)
                    .get("", claim.getSpec().getVolumeName());
            Pod pod = client.resources(Pod.class).get("default", "web-" + ordinal);
            assertThat(volume.getMetadata().getAnnotations())
                    .containsEntry("argosy.io/node", pod.getSpec().getNodeName());
            assertThat(claim.getSpec().getStorageClassName()).isEqualTo("local-path");
        }

        client.resources(StatefulSet.class).delete("default", "web", DeleteOptions.background());
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            client.resources(PersistentVolumeClaim.class)
                    .delete("default", "www-web-" + ordinal, DeleteOptions.DEFAULT);
        }
        eventually(
                "no volumes",
                () -> client.resources(PersistentVolume.class)
                        .list("", Map.of())
                        .isEmpty());
    }

    @Test
    void aClaimGrowsOnceItsNodeHasSeenToIt() {
        client.resources(StatefulSet.class).create(set(1));
        eventually("bound", () -> capacity().equals(new Quantity("1Gi")));
        ObjectNode larger = Json.object();
        larger.putObject("spec").putObject("resources").putObject("requests").put("storage", "3Gi");
        client.resources(PersistentVolumeClaim.class).patch("default", "www-web-0", PatchType.MERGE, larger);
        eventually("grown", () -> capacity().equals(new Quantity("3Gi")));
    }

    private Quantity capacity() {
        return client.resources(PersistentVolumeClaim.class)
                .find("default", "www-web-0")
                .filter(claim -> claim.getStatus() != null && claim.getStatus().getCapacity() != null)
                .map(claim -> claim.getStatus().getCapacity().get("storage"))
                .orElse(new Quantity("0"));
    }

    private static StatefulSet set(int replicas) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withServiceName("web")
                .withReplicas(replicas)
                .withNewSelector()
                .addToMatchLabels("app", "web")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "web")
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(0L)
                .addNewContainer()
                .withName("main")
                .withImage("web:1")
                .addNewVolumeMount()
                .withName("www")
                .withMountPath("/data")
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .endTemplate()
                .addNewVolumeClaimTemplate()
                .withNewMetadata()
                .withName("www")
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .addToRequests("storage", new Quantity("1Gi"))
                .endResources()
                .endSpec()
                .endVolumeClaimTemplate()
                .endSpec()
                .build();
    }

    private void eventually(String what, BooleanSupplier condition) {
        Eventually.eventually(
                what,
                condition,
                () -> "claims: " + client.resources(PersistentVolumeClaim.class).list("", Map.of()) + "; volumes: "
                        + client.resources(PersistentVolume.class).list("", Map.of()));
    }
}
