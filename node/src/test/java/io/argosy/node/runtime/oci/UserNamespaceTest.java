package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.ExecResult;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.Mount;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pods with users of their own, with real runc. */
class UserNamespaceTest {
    private static final IdRange USERS = new IdRange(131072, 65536);
    private static BusyboxHost host;

    @BeforeAll
    static void openHost() throws Exception {
        Assumptions.assumeTrue(UserNamespace.supported(), "this kernel has no user namespaces with mapped mounts");
        host = new BusyboxHost("users", 18);
        // as the home of root usually is
        Files.setPosixFilePermissions(host.root, PosixFilePermissions.fromString("rwx------"));
    }

    @AfterAll
    static void closeHost() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    private static Namespaces own(boolean shareProcesses) {
        return new Namespaces(false, false, false, shareProcesses, Optional.of(USERS));
    }

    @Test
    void rootInsideIsNobodyOutsideAndItsFilesLookLikeItsOwn() throws Exception {
        Path data = Files.createDirectories(host.root.resolve("volume"));
        Files.writeString(data.resolve("theirs"), "x");
        Files.setAttribute(data.resolve("theirs"), "unix:uid", 1000);
        Sandbox sandbox = host.runtime.runSandbox(host.pod("mapped")
                .namespaces(own(false))
                .sysctls(Map.of("kernel.shm_rmid_forced", "1", "net.ipv4.tcp_syncookies", "0"))
                .build());
        assertThat(sandbox.users()).contains(USERS);
        String id = host.run(
                sandbox,
                host.shell("id -u; cat /proc/self/uid_map; ls -ln /data /bin/busybox /etc/hosts;"
                                + " hostname; touch /data/mine /root/own /dev/shm/s; echo bye > /dev/termination-log;"
                                + " cat /proc/sys/kernel/shm_rmid_forced /proc/sys/net/ipv4/tcp_syncookies;"
                                + " touch /etc/passwd && echo copied; sleep 1000")
                        .mounts(List.of(Mount.of(data, "/data")))
                        .terminationMessagePath("/dev/termination-log")
                        .build());
        ExecResult ran = host.runtime.execSync(
                id,
                List.of("/bin/sh", "-c", "id -u; while [ ! -e /root/own ]; do true; done; ls -ln /root /data"),
                Duration.ofSeconds(20));
        assertThat(new String(ran.stdout(), StandardCharsets.UTF_8))
                .startsWith("0\n")
                .containsPattern("0 +0 .* mine")
                .containsPattern("1000 +0 .* theirs")
                .containsPattern("0 +0 .* own");
        long pid = Long.parseLong(
                Files.readString(host.config.bundles().resolve(id).resolve("pid")));
        assertThat(Files.getAttribute(Path.of("/proc", Long.toString(pid)), "unix:uid"))
                .isEqualTo(131072);
        assertThat(Files.getAttribute(data.resolve("mine"), "unix:uid")).isEqualTo(0);
        assertThat(host.config.containers().resolve(id).resolve("mounts")).doesNotExist();
        host.runtime.stopContainer(id, Duration.ZERO);
        assertThat(host.output(id))
                .startsWith("0\n")
                .contains("0     131072      65536", "mapped\n1\n0\ncopied\n")
                .containsPattern("0 +0 .* /bin/busybox")
                .containsPattern("0 +0 .* /etc/hosts");
        assertThat(host.runtime.container(id).orElseThrow().message()).isEqualTo("bye\n");
        host.runtime.removeSandbox(sandbox.id());
        assertThat(RootFilesystem.reachable(Path.of(id))).doesNotExist();
    }

    @Test
    void containersOfOnePodShareUsersAndProcesses() throws Exception {
        Sandbox sandbox =
                host.runtime.runSandbox(host.pod("shared").namespaces(own(true)).build());
        String first = host.run(sandbox, host.shell("sleep 1000").build());
        String second = host.run(
                sandbox,
                host.shell("ps; kill $(ps | grep '[s]leep 1000' | cut -c1-6) && echo killed")
                        .build());
        assertThat(host.awaitExit(second).exitCode()).isZero();
        assertThat(host.output(second)).contains("/pause", "sleep 1000", "killed");
        assertThat(host.awaitExit(first).exitCode()).isEqualTo(143);
        host.runtime.removeSandbox(sandbox.id());
        assertThat(RootFilesystem.reachable(Path.of(sandbox.id()))).doesNotExist();
    }

    @Test
    void anotherLifeOfTheRuntimeKnowsTheRange() {
        Sandbox sandbox =
                host.runtime.runSandbox(host.pod("kept").namespaces(own(false)).build());
        host.runtime.close();
        host.open();
        assertThat(host.runtime.sandbox(sandbox.id()).orElseThrow().users()).contains(USERS);
        host.runtime.removeSandbox(sandbox.id());
    }
}
