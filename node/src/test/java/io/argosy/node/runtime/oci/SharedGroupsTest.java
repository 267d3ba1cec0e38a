package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.Stalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the classes of service weigh, by the pods in them. */
class SharedGroupsTest {
    private static final String ROOT = "/argosy";

    @TempDir
    Path tree;

    private static LinuxResources shares(long shares) {
        return LinuxResources.NONE.withCpuShares(shares);
    }

    private String weight(String group, String file) throws IOException {
        return Files.readString(tree.resolve("argosy", group, file)).strip();
    }

    @Test
    void aClassWeighsAsMuchAsItsPodsAndThoseWithoutARequestNothing() throws IOException {
        Cgroups cgroups = new Cgroups(Map.of("cpu", tree), false);
        SharedGroups shared = new SharedGroups(cgroups, ROOT);
        Map<String, Long> pods = Map.of(
                "/argosy/burstable/a", 512L,
                "/argosy/burstable/b", 1024L,
                "/argosy/burstable/c", 2L,
                "/argosy/besteffort/d", 2L,
                "/argosy/besteffort/e", 2L,
                "/argosy/f", 1024L);
        for (Map.Entry<String, Long> pod : pods.entrySet()) {
            cgroups.create(pod.getKey(), shares(pod.getValue()));
            shared.weigh(pod.getKey());
        }
        assertThat(weight("burstable", "cpu.shares")).isEqualTo("1536");
        assertThat(weight("besteffort", "cpu.shares")).isEqualTo("2");
        assertThat(tree.resolve("argosy/cpu.shares")).doesNotExist();

        cgroups.create("/argosy/burstable/a", shares(300_000));
        shared.weigh(pods.keySet());
        assertThat(weight("burstable", "cpu.shares")).isEqualTo("262144");
    }

    /** The kernel makes these files by itself in every group. */
    private void offerControllers(String... groups) throws IOException {
        for (String group : groups) {
            Path folder = Files.createDirectories(tree.resolve(group));
            Files.writeString(folder.resolve("cgroup.controllers"), "cpu memory pids\n");
        }
    }

    @Test
    void inTheOneTreeOfTheNewerKernelsTheWeightsAreTheirs() throws IOException {
        offerControllers("", "argosy", "argosy/burstable", "argosy/besteffort");
        Cgroups cgroups = new Cgroups(Map.of("", tree), true);
        SharedGroups shared = new SharedGroups(cgroups, ROOT);
        for (String pod : List.of("a", "b")) {
            cgroups.create("/argosy/burstable/" + pod, shares(1024));
            cgroups.create("/argosy/besteffort/" + pod, shares(2));
        }
        shared.weigh(List.of("/argosy/burstable/a", "/argosy/burstable/b", "/argosy/besteffort/a"));
        assertThat(weight("burstable", "cpu.weight")).isEqualTo("78");
        assertThat(weight("besteffort", "cpu.weight")).isEqualTo("1");
    }

    @Test
    void theKernelIsToldWhenPodsComeAndGo() throws Exception {
        try (BusyboxHost host = new BusyboxHost("qos", 18)) {
            Sandbox small = host.runtime.runSandbox(host.pod("small")
                    .cgroupParent("burstable/small")
                    .resources(shares(256))
                    .build());
            Sandbox large = host.runtime.runSandbox(host.pod("large")
                    .cgroupParent("burstable/large")
                    .resources(shares(2048))
                    .build());
            host.runtime.runSandbox(host.pod("none")
                    .cgroupParent("besteffort/none")
                    .resources(shares(2))
                    .build());
            assertThat(told(host, "burstable")).isEqualTo(weight(2304));
            assertThat(told(host, "besteffort")).isEqualTo(weight(2));

            host.runtime.updateSandboxResources(small.id(), shares(512));
            assertThat(told(host, "burstable")).isEqualTo(weight(2560));

            host.runtime.removeSandbox(large.id());
            assertThat(told(host, "burstable")).isEqualTo(weight(512));
        }
    }

    private static long weight(long shares) throws IOException {
        return Cgroups.detect().unified() ? Cgroups.weight(shares) : shares;
    }

    private static long told(BusyboxHost host, String group) throws IOException {
        boolean unified = Cgroups.detect().unified();
        Path groups = Path.of(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu")
                .resolve(host.config.cgroupParent().substring(1), group);
        return Long.parseLong(Files.readString(groups.resolve(unified ? "cpu.weight" : "cpu.shares"))
                .strip());
    }

    @Test
    void whoHadToWaitIsReadWhereTheKernelHasOneTree() throws IOException {
        Path group = Files.createDirectories(tree.resolve("argosy/a"));
        Files.writeString(group.resolve("memory.stat"), "anon 1\n");
        Files.writeString(group.resolve("memory.current"), "5\n");
        Files.writeString(group.resolve("cpu.stat"), "usage_usec 1\n");
        Files.writeString(group.resolve("pids.current"), "1\n");
        Cgroups cgroups = new Cgroups(Map.of("", tree), true);
        assertThat(cgroups.usage("/argosy/a").orElseThrow().stalls()).isEqualTo(Stalls.UNKNOWN);

        Files.writeString(
                group.resolve("io.pressure"),
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");

        assertThat(cgroups.usage("/argosy/a")
                        .orElseThrow()
                        .stalls()
                        .io()
                        .orElseThrow()
                        .full()
                        .total())
                .isEqualTo(5);
    }
}
