package io.argosy.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesFilesTest {
    @TempDir
    private Path folder;

    private Path program;

    @BeforeEach
    void makeProgram() throws IOException {
        program = Files.writeString(folder.resolve("program"), "#!/bin/sh\necho $0 1.2.3\necho more\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void withoutEitherThereIsNothingToMeasureBeside() {
        assertThat(KubernetesFiles.named(null, null, null, null)).isEmpty();
    }

    @Test
    void bothAreTaken() {
        assertThat(KubernetesFiles.named(program, program, null, null))
                .contains(new KubernetesFiles(program, program, Optional.empty()));
    }

    @Test
    void loopsAreTakenWithTheServerTheyWorkOn() {
        assertThat(KubernetesFiles.named(program, program, program, program))
                .contains(new KubernetesFiles(
                        program, program, Optional.of(new KubernetesFiles.Loops(program, program))));
        assertThatThrownBy(() -> KubernetesFiles.named(null, null, program, program))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("need --kube-apiserver and --etcd too");
        assertThatThrownBy(() -> KubernetesFiles.named(program, program, program, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--kube-controller-manager needs --kube-scheduler too: neither works without the other.");
    }

    @Test
    void oneAloneIsRefused() {
        assertThatThrownBy(() -> KubernetesFiles.named(program, null, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--kube-apiserver needs --etcd too: neither works without the other.");
        assertThatThrownBy(() -> KubernetesFiles.named(null, program, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--etcd needs --kube-apiserver too: neither works without the other.");
    }

    @Test
    void fileThatIsNotThereIsRefused() {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> KubernetesFiles.named(missing, program, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--kube-apiserver: there is no file " + missing + ".");
        assertThatThrownBy(() -> KubernetesFiles.named(program, missing, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--etcd: there is no file " + missing + ".");
    }

    @Test
    void whatCannotBeExecutedIsRefused() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "words");
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-------"));
        for (Path wrong : new Path[] {text, folder}) {
            assertThatThrownBy(() -> KubernetesFiles.named(program, wrong, null, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("--etcd: " + wrong + " is not a file that can be executed.");
        }
    }

    @Test
    void versionIsTheFirstThingThatAProgramSaysOfItself() throws IOException {
        assertThat(new KubernetesFiles(program, program, Optional.empty()).versions())
                .isEqualTo(program + " 1.2.3, " + program + " 1.2.3");
    }
}
