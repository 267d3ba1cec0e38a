package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.NFSVolumeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Folders of other machines: the command that mounts them, and what is told when it fails. */
class NfsTest {
    @TempDir
    Path home;

    static Stream<Arguments> commands() {
        return Stream.of(
                Arguments.of(source("10.0.0.1", null), false, null, "-t nfs 10.0.0.1:/exports /pod/v"),
                Arguments.of(source("fd00::1", null), false, List.of(), "-t nfs [fd00::1]:/exports /pod/v"),
                Arguments.of(source("files", true), false, List.of(), "-t nfs -o ro files:/exports /pod/v"),
                Arguments.of(
                        source("files", null),
                        true,
                        List.of("nfsvers=4.1", "hard"),
                        "-t nfs -o hard,nfsvers=4.1,ro files:/exports /pod/v"),
                Arguments.of(source("files", false), true, List.of("ro", "ro"), "-t nfs -o ro files:/exports /pod/v"));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theCommandIsKubernetes(NFSVolumeSource source, boolean readOnly, List<String> options, String arguments) {
        assertThat(Mounts.arguments("nfs", Nfs.options(source, readOnly, options), Nfs.from(source), Path.of("/pod/v")))
                .isEqualTo(List.of(arguments.split(" ")));
    }

    /** Port 1 of this machine has no server, and most machines that run this have not even the helper for NFS. */
    @Test
    void whatTheRealCommandSaysIsTold() {
        Path at = home.resolve("volumes", "v");
        assertThatThrownBy(() ->
                        Nfs.mount(source("127.0.0.1", null), false, List.of("nfsvers=4", "port=1", "retry=0"), at))
                .isInstanceOf(IOException.class)
                .message()
                .matches("(?s)mount failed: exit status \\d+\nMounting command: mount\nMounting arguments: -t nfs -o"
                        + " nfsvers=4,port=1,retry=0 127.0.0.1:/exports \\Q" + at + "\\E\nOutput: mount.+");
        assertThat(at).doesNotExist();
    }

    /** Needs what a machine has that serves NFS itself; the kernel and the packages of most that run this have it not. */
    @Test
    void aFolderOfAServerIsMountedOnceAndUnmounted() throws IOException {
        boolean serves = Files.exists(Path.of("/proc/fs/nfsd/threads"))
                && !Files.readString(Path.of("/proc/fs/nfsd/threads")).strip().equals("0");
        if (!serves) {
            System.out.println("SKIPPED: this machine serves no NFS");
        }
        Assumptions.assumeTrue(serves, "this machine serves no NFS");
        Path served = Files.createDirectory(home.resolve("served"));
        Files.writeString(served.resolve("greeting"), "from afar");
        run("exportfs", "-i", "-o", "rw,fsid=0,no_root_squash,insecure,no_subtree_check", "127.0.0.1:" + served);
        try {
            Path at = home.resolve("volumes", "v");
            NFSVolumeSource source = new NFSVolumeSource("/", null, "127.0.0.1");
            Nfs.mount(source, false, List.of("nfsvers=4"), at);
            Nfs.mount(source, false, List.of("nfsvers=4"), at);
            assertThat(at.resolve("greeting")).hasContent("from afar");
            Files.writeString(at.resolve("answer"), "heard");
            assertThat(served.resolve("answer")).hasContent("heard");
            Mounts.unmountBelow(home.resolve("volumes"));
            assertThat(at).isEmptyDirectory();
            Nfs.mount(source, true, List.of("nfsvers=4"), at);
            assertThatThrownBy(() -> Files.writeString(at.resolve("more"), "no"))
                    .hasMessageContaining("Read-only file system");
            Mounts.unmountBelow(home.resolve("volumes"));
        } finally {
            run("exportfs", "-u", "127.0.0.1:" + served);
        }
    }

    private static NFSVolumeSource source(String server, Boolean readOnly) {
        return new NFSVolumeSource("/exports", readOnly, server);
    }

    private static void run(String... command) throws IOException {
        assertThat(new ProcessBuilder(command)
                        .inheritIO()
                        .start()
                        .onExit()
                        .join()
                        .exitValue())
                .isZero();
    }
}
