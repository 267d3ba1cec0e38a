package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnershipTest {
    private static final int GROUP = 4242;

    @TempDir
    private Path volume;

    private Path file;

    @BeforeEach
    void aVolumeWithAFile() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        file = Files.writeString(
                Files.createDirectories(volume.resolve("below")).resolve("file"), "x");
    }

    private static Pod pod(String policy) {
        return new PodBuilder()
                .withNewSpec()
                .withNewSecurityContext()
                .withFsGroup((long) GROUP)
                .withFsGroupChangePolicy(policy)
                .endSecurityContext()
                .endSpec()
                .build();
    }

    private static int group(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:gid");
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    @Test
    void everythingIsGivenToTheGroup() throws IOException {
        Ownership.give(volume, pod("Always"));
        assertThat(group(volume)).isEqualTo(GROUP);
        assertThat(group(file)).isEqualTo(GROUP);
        assertThat(mode(volume) & 02770).isEqualTo(02770);
        assertThat(mode(file) & 0660).isEqualTo(0660);
    }

    @Test
    void aRootThatIsRightSpeaksForAllWhereThePodSaysSo() throws IOException {
        Ownership.give(volume, pod("OnRootMismatch"));
        assertThat(group(file)).as("the root was not right yet").isEqualTo(GROUP);
        Files.setAttribute(file, "unix:gid", 1);
        Ownership.give(volume, pod("OnRootMismatch"));
        assertThat(group(file)).isEqualTo(1);
        Ownership.give(volume, pod("Always"));
        assertThat(group(file)).isEqualTo(GROUP);
    }

    @Test
    void aRootOfTheRightGroupThatItMayNotUseIsNotRight() throws IOException {
        Ownership.give(volume, pod("Always"));
        Files.setAttribute(volume, "unix:mode", 0700);
        Files.setAttribute(file, "unix:gid", 1);
        Ownership.give(volume, pod("OnRootMismatch"));
        assertThat(group(file)).isEqualTo(GROUP);
    }
}
