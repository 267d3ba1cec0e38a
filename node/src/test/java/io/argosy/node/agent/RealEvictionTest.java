package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Files;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Real pods that write more than they may. */
class RealEvictionTest extends RealNodeFixture {
    RealEvictionTest() {
        super("evict-test", 81);
    }

    private void create(String name, String writes, UnaryOperator<PodBuilder> limits) {
        String script = "busybox head -c 3000000 /dev/zero > " + writes + "/file; exec sleep 1000";
        client.resources(Pod.class)
                .create(limits.apply(pod(name, "sh", "-c", script)
                                .editSpec()
                                .addNewVolume()
                                .withName("scratch")
                                .withNewEmptyDir()
                                .endEmptyDir()
                                .endVolume()
                                .editContainer(0)
                                .addNewVolumeMount()
                                .withName("scratch")
                                .withMountPath("/scratch")
                                .endVolumeMount()
                                .endContainer()
                                .endSpec())
                        .build());
    }

    private static PodBuilder sizeLimit(PodBuilder pod) {
        return pod.editSpec()
                .editVolume(0)
                .editEmptyDir()
                .withSizeLimit(new Quantity("1Mi"))
                .endEmptyDir()
                .endVolume()
                .endSpec();
    }

    private static PodBuilder storageLimit(PodBuilder pod) {
        return pod.editSpec()
                .editContainer(0)
                .withNewResources()
                .addToLimits("ephemeral-storage", new Quantity("2Mi"))
                .endResources()
                .endContainer()
                .endSpec();
    }

    private PodStatus status(String name) {
        return find(name).orElseThrow().getStatus();
    }

    private boolean failed(String name) {
        return find(name)
                .filter(p ->
                        p.getStatus() != null && "Failed".equals(p.getStatus().getPhase()))
                .isPresent();
    }

    @Test
    void aPodWithMoreOnTheDiskThanItSaidIsEvicted() {
        create("volume", "/scratch", RealEvictionTest::sizeLimit);
        create("layer", "/tmp", RealEvictionTest::storageLimit);
        create("free", "/scratch", pod -> pod);
        // not that all run at once: the first may be evicted before the last has begun
        eventually(
                "both have failed",
                () -> ready("free")
                        && failed("volume")
                        && failed("layer")
                        && runtime.containers().stream()
                                        .filter(c -> c.state() == io.argosy.node.runtime.ContainerStatus.State.RUNNING)
                                        .count()
                                == 1);

        assertThat(status("volume").getReason()).isEqualTo("Evicted");
        assertThat(status("volume").getMessage())
                .isEqualTo("Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Mi\". ");
        assertThat(status("layer").getMessage())
                .isEqualTo("Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ");
        assertThat(status("layer").getConditions())
                .anyMatch(c -> c.getType().equals("DisruptionTarget")
                        && c.getStatus().equals("True")
                        && c.getReason().equals("TerminationByKubelet"));
        assertThat(events.lines())
                .contains("Evicted: Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Mi\". ");
        assertThat(ready("free")).isTrue();
        for (String name : List.of("volume", "layer")) {
            String uid = find(name).orElseThrow().getMetadata().getUid();
            eventually(
                    "nothing of it takes room any more",
                    () -> Files.notExists(root.resolve("node/pods/" + uid))
                            && runtime.containers().stream()
                                    .noneMatch(
                                            container -> container.pod().uid().equals(uid)));
        }
    }
}
