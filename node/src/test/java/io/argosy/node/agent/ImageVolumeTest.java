package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Images as volumes of real containers. */
class ImageVolumeTest extends RealNodeFixture {
    ImageVolumeTest() {
        super("volume-test", 80);
    }

    private Path layer(String name, String file, String content) throws Exception {
        Path layer = Files.createDirectories(root.resolve(name));
        Path written = layer.resolve(file);
        Files.createDirectories(written.getParent());
        Files.writeString(written, content);
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwxr-xr-x"));
        return layer;
    }

    private void create(String name, String reference, String policy) {
        client.resources(Pod.class)
                .create(pod(name, "sleep", "1000")
                        .editSpec()
                        .addNewVolume()
                        .withName("content")
                        .withNewImage()
                        .withReference(reference)
                        .withPullPolicy(policy)
                        .endImage()
                        .endVolume()
                        .editContainer(0)
                        .addNewVolumeMount()
                        .withName("content")
                        .withMountPath("/content")
                        .endVolumeMount()
                        .addNewVolumeMount()
                        .withName("content")
                        .withMountPath("/part")
                        .withSubPath("folder")
                        .endVolumeMount()
                        .endContainer()
                        .endSpec()
                        .build());
    }

    @Test
    void anImageIsSeenAsAFolderThatCannotBeWrittenTo() throws Exception {
        images.with(
                "data:1",
                List.of(layer("low", "folder/file", "hidden"), layer("high", "folder/file", "#!/bin/sh\necho ran\n")));
        images.with("flat:1", List.of(layer("only", "folder/file", "flat")));
        create("two", "data:1", "IfNotPresent");
        create("one", "flat:1", "Never");
        eventually("ready", () -> ready("two") && ready("one"));

        assertThat(exec("two", "cat", "/content/folder/file")).contains("echo ran");
        assertThat(exec("two", "cat", "/part/file")).contains("echo ran");
        assertThat(exec("one", "cat", "/part/file")).isEqualTo("flat");
        assertThat(exec("two", "sh", "-c", "echo x > /content/x || echo no")).isEqualTo("no");
        assertThat(exec("two", "sh", "-c", "/content/folder/file || echo no")).isEqualTo("no");
        client.resources(Pod.class).delete("default", "two", new Resources.DeleteOptions(1L, null, null, null));
        client.resources(Pod.class).delete("default", "one", new Resources.DeleteOptions(1L, null, null, null));
        eventually("gone", () -> find("two").isEmpty() && find("one").isEmpty());
        assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
                .doesNotContain(root.resolve("node").toString());
    }

    @Test
    void aVolumesImageThatIsNotToBeHadSaysSoLikeAContainersOwn() {
        create("absent", "absent:1", "IfNotPresent");
        create("never", "absent:1", "Never");

        eventually("the pull failed", () -> waiting("absent").matches("ErrImagePull|ImagePullBackOff"));
        eventually("nothing is pulled", () -> waiting("never").equals("ErrImageNeverPull"));
        assertThat(events.lines())
                .contains(
                        "Pulling: Pulling image \"absent:1\"",
                        "Failed: Failed to pull image \"absent:1\": absent:1: not found",
                        "ErrImageNeverPull: Container image \"absent:1\" is not present with pull policy of Never");
    }

    @Test
    void aPartThatTheImageDoesNotHaveKeepsTheContainerFromStarting() throws Exception {
        images.with("bare:1", List.of(layer("bare", "file", "bare")));
        create("bare", "bare:1", "IfNotPresent");

        eventually("the reason is shown", () -> waiting("bare").equals("CreateContainerConfigError"));
    }
}
