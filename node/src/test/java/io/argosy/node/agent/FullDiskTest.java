package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.files.SmallDisk;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The disk of the pods' own volumes is full: who needs room says so and waits for it, and nobody else is touched. */
class FullDiskTest extends AgentFixture {
    private SmallDisk disk;

    @Override
    @BeforeEach
    void begin() throws Exception {
        disk = SmallDisk.mount(home.resolve("disk.img"), home.resolve("pods"));
        super.begin();
    }

    @Override
    @AfterEach
    void end() {
        stopAgent();
        if (disk != null) {
            try {
                disk.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        super.end();
    }

    @Test
    void aPodWhoseVolumeFindsNoRoomSaysSoAndStartsWhenThereIsSome() throws IOException {
        create(withScratch("early"));
        eventually("ready", () -> ready("early"));
        disk.fill();

        String uid = create(withScratch("late")).getMetadata().getUid();

        eventually(
                "it says why",
                () -> events.lines().stream()
                        .anyMatch(line ->
                                line.startsWith("FailedMount: MountVolume.SetUp failed for volume \"scratch\" : "
                                                + home.resolve("pods", uid))
                                        && line.endsWith(": no space left on device")));
        eventually("and that it is not ready", () -> waiting("late", "web").equals("ContainerCreating"));
        assertThat(condition("late", "Ready").orElseThrow().getReason()).isEqualTo("ContainersNotReady");
        assertThat(ready("early")).isTrue();

        disk.free();

        turnUntil("ready", () -> ready("late"));
        assertThat(ready("early")).isTrue();
    }

    @Test
    void filesThatCannotBeBroughtUpToDateStayAsTheyWere() throws IOException {
        settings("blue");
        create(pod("a").editSpec()
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
                .endSpec());
        eventually("ready", () -> ready("a"));
        Path volume = runtime.spec("web").mounts().getFirst().hostPath();
        List<String> before = names(volume);
        disk.fill();

        settings("red".repeat(10_000));

        turnUntil(
                "it says why",
                () -> events.lines().stream()
                        .anyMatch(line -> line.startsWith("FailedMount: MountVolume.SetUp failed for volume \"v\" : ")
                                && line.endsWith("no space left on device")));
        assertThat(volume.resolve("color")).hasContent("blue");
        assertThat(names(volume)).isEqualTo(before);
        assertThat(ready("a")).isTrue();

        disk.free();

        turnUntil("red", () -> read(volume.resolve("color")).startsWith("redred"));
    }

    private static PodBuilder withScratch(String name) {
        return pod(name)
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
                .endSpec();
    }

    private void settings(String color) {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("settings")
                .endMetadata()
                .addToData("color", color)
                .build();
        var maps = client.resources(ConfigMap.class);
        if (maps.find("default", "settings").isEmpty()) {
            maps.create(map);
        } else {
            maps.update(map);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
