package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Json;
import io.argosy.client.ApiTransport;
import io.argosy.client.Resources.PatchType;
import io.argosy.cluster.Cluster;
import io.argosy.cluster.ClusterBuilder;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdServer;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two control planes on one etcd: the loops run in one of them, and in the other when the first can no longer reach the API. */
@Timeout(180)
class FailOverTest {
    @TempDir
    Path folder;

    private volatile boolean cutOff;

    private ClusterBuilder plane(String name, String address, EtcdServer etcd) {
        return Cluster.builder()
                .home(folder.resolve(name))
                .port(0)
                .nodeName(name)
                .address(address)
                .etcd(EtcdConfig.of(etcd.endpoint()));
    }

    @Test
    void whoLosesTheApiLosesTheLoopsAndTheOtherGoesOn() throws Exception {
        try (EtcdServer etcd = EtcdServer.start();
                Cluster first = plane("one", "10.0.0.1", etcd)
                        .transports((component, way) -> breakable(way))
                        .start()) {
            Eventually.holds("the first leads", () -> leader(first).startsWith("one_"), () -> state(first));
            SharedKeys.copy(folder.resolve("one"), folder.resolve("two"));
            try (Cluster second = plane("two", "10.0.0.2", etcd).start()) {
                first.client().resources(Deployment.class).create(deployment(2));
                Eventually.holds(
                        "two pods", () -> pods(second).size() == 2 && creations(second) == 2, () -> state(first));

                cutOff = true;
                Eventually.holds("the second leads", () -> leader(second).startsWith("two_"), () -> state(first));
                scale(second, 5);
                Eventually.holds("five pods", () -> pods(second).size() == 5, () -> state(first));

                cutOff = false;
                scale(second, 6);
                Eventually.holds("six pods", () -> pods(first).size() == 6, () -> state(first));
                assertThat(leader(first)).startsWith("two_");
                assertThat(lease(first).getSpec().getLeaseTransitions()).isEqualTo(1);
            }
            Eventually.holds("the first leads again", () -> leader(first).startsWith("one_"), () -> state(first));
            scale(first, 7);
            Eventually.holds("seven pods", () -> pods(first).size() == 7, () -> state(first));
            Eventually.holds("each was made once", () -> creations(first) == 7, () -> state(first));
        }
    }

    /** The way from the loops to the API, while it is not cut off. */
    private ApiTransport breakable(ApiTransport way) {
        return new ApiTransport() {
            @Override
            public Response send(Request request) {
                if (cutOff) {
                    throw new IllegalStateException("cut off");
                }
                return way.send(request);
            }

            @Override
            public Watch watch(Request request, WatchSink sink) {
                return way.watch(request, sink);
            }
        };
    }

    private static String state(Cluster by) {
        return lease(by).getSpec() + "\n" + pods(by).size() + " pods";
    }

    private static Lease lease(Cluster by) {
        return by.client().resources(Lease.class).get("kube-system", "kube-controller-manager");
    }

    private static String leader(Cluster by) {
        return by.client()
                .resources(Lease.class)
                .find("kube-system", "kube-controller-manager")
                .map(lease -> lease.getSpec().getHolderIdentity())
                .orElse("");
    }

    private static List<Pod> pods(Cluster by) {
        return by.client().resources(Pod.class).list("default", Map.of());
    }

    private static int creations(Cluster by) {
        return by.client().resources(Event.class).list("default", Map.of()).stream()
                .filter(event -> event.getReason().equals("SuccessfulCreate"))
                .mapToInt(event -> event.getCount() == null ? 1 : event.getCount())
                .sum();
    }

    private static void scale(Cluster by, int replicas) {
        var patch = Json.object();
        patch.putObject("spec").put("replicas", replicas);
        by.client().resources(Deployment.class).patch("default", "web", PatchType.MERGE, patch);
    }

    private static Deployment deployment(int replicas) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .addToMatchLabels("app", "web")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "web")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("web")
                .withImage("nginx")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
