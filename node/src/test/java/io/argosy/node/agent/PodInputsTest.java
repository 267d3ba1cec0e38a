package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a pod needs before it can run: images, configuration, volumes, its own name. */
class PodInputsTest extends AgentFixture {
    @Test
    void aMissingImageIsWaitedForAndThenPulled() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("late:1")
                .endContainer()
                .endSpec());
        eventually("error", () -> waiting("a", "web").equals("ErrImagePull"));
        assertThat(events.lines()).contains("Failed: Error: ErrImagePull");
        turnUntil("back-off", () -> waiting("a", "web").equals("ImagePullBackOff"));
        assertThat(phase("a")).isEqualTo("Pending");

        images.inRegistry("late:1");

        turnUntil("ready", () -> ready("a"));
        assertThat(events.lines()).anyMatch(l -> l.startsWith("Pulled: Successfully pulled image \"late:1\" in "));
    }

    @Test
    void aNameThatIsNoImageAndAnImageThatMustNotBePulledAreSaidSo() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("no such")
                .endContainer()
                .endSpec());
        create(pod("b").editSpec()
                .editContainer(0)
                .withImage("absent:1")
                .withImagePullPolicy("Never")
                .endContainer()
                .endSpec());

        eventually("invalid", () -> waiting("a", "web").equals("InvalidImageName"));
        eventually("never", () -> waiting("b", "web").equals("ErrImageNeverPull"));
    }

    @Test
    void aMissingConfigMapHoldsTheContainerBackUntilItComes() {
        create(pod("a").editSpec()
                .editContainer(0)
                .addNewEnv()
                .withName("COLOR")
                .withNewValueFrom()
                .withNewConfigMapKeyRef("color", "settings", false)
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());
        eventually("config error", () -> waiting("a", "web").equals("CreateContainerConfigError"));
        assertThat(status("a", "web").getState().getWaiting().getMessage())
                .isEqualTo("configmap \"settings\" not found");

        settings("blue");

        turnUntil("ready", () -> ready("a"));
        assertThat(runtime.spec("web").env())
                .anyMatch(e -> e.name().equals("COLOR") && e.value().equals("blue"));
    }

    private void settings(String color) {
        var map = new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("settings")
                .endMetadata()
                .addToData("color", color)
                .build();
        if (client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class)
                .find("default", "settings")
                .isEmpty()) {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).create(map);
        } else {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).update(map);
        }
    }

    @Test
    void aConfigMapVolumeFollowsItsConfigMap() throws Exception {
        PodBuilder pod = pod("a").editSpec()
                .addNewVolume()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .endVolume()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/etc/settings")
                .endVolumeMount()
                .endContainer()
                .endSpec();
        create(pod);
        eventually("mount fails", () -> events.lines().stream().anyMatch(l -> l.startsWith("FailedMount: ")));
        settings("blue");
        turnUntil("ready", () -> ready("a"));
        Path file = runtime.spec("web").mounts().getFirst().hostPath().resolve("color");
        assertThat(Files.readString(file)).isEqualTo("blue");

        settings("red");

        turnUntil("updated", () -> {
            try {
                return Files.readString(file).equals("red");
            } catch (java.io.IOException e) {
                return false;
            }
        });
    }

    @Test
    void aPodStoppedWhileItsImageIsPulledIsGoneAtOnce() {
        images.hold("slow:1");
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("slow:1")
                .endContainer()
                .endSpec());
        eventually("pulling", () -> events.lines().contains("Pulling: Pulling image \"slow:1\""));

        client.resources(Pod.class).delete("default", "a", Resources.DeleteOptions.DEFAULT);

        eventually("gone", () -> find("a").isEmpty());
        images.release();
        assertThat(runtime.started()).isEmpty();
    }

    @Test
    void thePodKnowsItselfAndItsServices() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withCommand("serve", "$(NAME)", "$(MISSING)", "$$(NAME)")
                .addNewEnv()
                .withName("NAME")
                .withNewValueFrom()
                .withNewFieldRef("v1", "metadata.name")
                .endValueFrom()
                .endEnv()
                .addNewEnv()
                .withName("IP")
                .withNewValueFrom()
                .withNewFieldRef("v1", "status.podIP")
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());

        eventually("ready", () -> ready("a"));

        assertThat(runtime.spec("web").command()).containsExactly("serve", "a", "$(MISSING)", "$(NAME)");
        Map<String, String> env = new java.util.HashMap<>();
        runtime.spec("web").env().forEach(e -> env.put(e.name(), e.value()));
        assertThat(env)
                .containsEntry("HOSTNAME", "a")
                .containsEntry("IP", find("a").orElseThrow().getStatus().getPodIP());
        assertThat(runtime.spec("web").mounts()).anyMatch(m -> m.containerPath().equals("/etc/hosts"));
    }
}
