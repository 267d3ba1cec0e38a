package io.argosy.node.runtime.oci;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.files.MountCalls;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.ContainerSpec.EnvVar;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.Mount;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import io.argosy.node.runtime.SandboxSpec.PortMapping;
import io.argosy.node.runtime.SandboxSpec.Protocol;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.SecurityContext.Seccomp;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pods and containers as a node agent uses them, with real runc. */
class OciRuntimeTest {
    private static BusyboxHost host;

    @BeforeAll
    static void openHost() throws Exception {
        host = new BusyboxHost("rt", 11);
    }

    @AfterAll
    static void closeHost() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void runtimeSaysWhatItIsAndThatItIsReady() {
        assertThat(host.runtime.info().name()).isEqualTo("runc");
        assertThat(host.runtime.info().version()).startsWith("1.");
        assertThat(host.runtime.info().runtime().ready()).isTrue();
        assertThat(host.runtime.info().network().ready()).isTrue();
    }

    @Test
    void containerPrintsIntoTheCriLogAndItsExitIsReported() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("printer").build());
        assertThat(sandbox.state()).isEqualTo(Sandbox.State.READY);
        assertThat(sandbox.addresses()).hasSize(1).first().asString().startsWith("10.251.11.");

        String id = host.runtime.createContainer(
                sandbox.id(),
                host.shell("echo out; echo err >&2; echo bye > /dev/termination-log; exit 3")
                        .terminationMessagePath("/dev/termination-log")
                        .build());
        assertThat(host.runtime.container(id).orElseThrow().state()).isEqualTo(State.CREATED);
        host.runtime.startContainer(id);

        assertThat(host.awaitExit(id).exitCode()).isEqualTo(3);
        ContainerStatus status = host.runtime.container(id).orElseThrow();
        assertThat(status.state()).isEqualTo(State.EXITED);
        assertThat(status.exitCode()).hasValue(3);
        assertThat(status.reason()).isEqualTo("Error");
        assertThat(status.message()).isEqualTo("bye\n");
        assertThat(status.startedAt()).isPresent();
        assertThat(status.finishedAt()).isPresent();
        assertThat(Files.readAllLines(status.logPath()))
                .anySatisfy(line -> assertThat(line).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ stdout F out"))
                .anySatisfy(line -> assertThat(line).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ stderr F err"));
        host.runtime.removeSandbox(sandbox.id());
        assertThat(host.runtime.sandbox(sandbox.id())).isEmpty();
        assertThat(status.logPath()).exists();
    }

    @Test
    void containerSeesThePodsNameFilesAndEnvironment() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("named")
                .dns(new DnsConfig(List.of("10.96.0.10"), List.of("default.svc.cluster.local"), List.of("ndots:5")))
                .build());
        Path data = Files.createDirectories(host.root.resolve("data"));
        Files.writeString(data.resolve("file"), "from the host\n");
        String id = host.run(
                sandbox,
                host.shell("hostname; cat /etc/resolv.conf /etc/hosts /data/file; echo $FROM_IMAGE $FROM_POD;"
                                + " touch /data/x || echo read only")
                        .env(List.of(new EnvVar("FROM_POD", "too")))
                        .mounts(List.of(Mount.readOnly(data, "/data")))
                        .build());
        host.awaitExit(id);
        assertThat(host.output(id))
                .startsWith("named\n")
                .contains("nameserver 10.96.0.10", "search default.svc.cluster.local", "options ndots:5")
                .contains(sandbox.addresses().getFirst() + "\tnamed")
                .contains("from the host", "yes too", "read only");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void containersOfOnePodShareLocalhostAndSharedMemory() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("pair").build());
        host.run(
                sandbox,
                host.shell("echo shared > /dev/shm/x; echo -n ready >/dev/termination-log;"
                                + " mkdir -p /www; echo hello > /www/index.html; httpd -f -p 8080 -h /www")
                        .terminationMessagePath("/dev/termination-log")
                        .build());
        String client = host.run(
                sandbox,
                ContainerSpec.builder("client", host.image)
                        .command(List.of(
                                "/bin/sh",
                                "-c",
                                "until wget -q -O - http://127.0.0.1:8080/; do sleep 0.05; done; cat /dev/shm/x"))
                        .build());
        host.awaitExit(client);
        assertThat(host.output(client)).contains("hello\nshared\n");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void podsReachOneAnother() throws Exception {
        Sandbox server = host.runtime.runSandbox(host.pod("server").build());
        Sandbox client = host.runtime.runSandbox(host.pod("client").build());
        host.run(server, host.shell("echo hi | nc -l -p 9000").build());
        String id = host.run(
                client,
                host.shell("until nc " + server.addresses().getFirst() + " 9000; do sleep 0.05; done")
                        .build());
        host.awaitExit(id);
        assertThat(host.output(id)).contains("hi");
        host.runtime.removeSandbox(server.id());
        host.runtime.removeSandbox(client.id());
    }

    @Test
    void hostPortLeadsToThePod() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/sbin/iptables")), "host ports need iptables");
        Sandbox sandbox = host.runtime.runSandbox(host.pod("published")
                .ports(List.of(new PortMapping(Protocol.TCP, 8080, 28411, "")))
                .build());
        String id = host.run(
                sandbox,
                host.shell("mkdir -p /www; echo hello > /www/index.html; echo up; httpd -f -p 8080 -h /www")
                        .build());
        awaitOutput(id, "up");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://"
                        + NetworkInterface.getByName(host.config.bridge())
                                .inetAddresses()
                                .filter(Inet4Address.class::isInstance)
                                .findFirst()
                                .orElseThrow()
                                .getHostAddress()
                        + ":28411/"))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("hello\n");
        }
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void imageOfManyLayersIsStacked() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("layered").build());
        List<Path> layers = new ArrayList<>(host.image.layers());
        for (int i = 0; i < 60; i++) {
            Path layer = Files.createDirectories(
                    host.root.resolve("a-rather-long-folder-name-that-fills-a-page-of-mount-options/layer-" + i));
            Files.writeString(layer.resolve("top"), "layer " + i + "\n");
            Files.writeString(layer.resolve("from-" + i), "x");
            layers.add(layer);
        }
        Image image = new Image("sha256:many", List.of(), List.of(), 0, layers, host.image.config());
        String id = host.run(
                sandbox,
                ContainerSpec.builder("main", image)
                        .command(List.of("/bin/sh", "-c", "cat /top; ls / | grep -c from-"))
                        .build());
        host.awaitExit(id);
        assertThat(host.output(id)).isEqualTo("layer 59\n60\n");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void stopSendsTheStopSignalAndWaits() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("polite").build());
        String id = host.run(
                sandbox,
                host.shell("trap 'echo leaving; exit 7' USR1; echo up; while true; do sleep 0.05; done")
                        .stopSignal("SIGUSR1")
                        .build());
        awaitOutput(id, "up");
        host.runtime.stopContainer(id, Duration.ofSeconds(20));
        assertThat(host.runtime.container(id).orElseThrow().exitCode()).hasValue(7);
        assertThat(host.output(id)).contains("leaving");
        host.runtime.stopContainer(id, Duration.ofSeconds(20));
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void whoIgnoresTheStopSignalIsKilledAfterTheGracePeriod() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("stubborn").build());
        String id = host.run(
                sandbox,
                host.shell("trap '' TERM; echo up; while true; do sleep 1; done")
                        .build());
        awaitOutput(id, "up");
        host.runtime.stopContainer(id, Duration.ofMillis(200));
        assertThat(host.runtime.container(id).orElseThrow().exitCode()).hasValue(137);
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void containerBeyondItsMemoryLimitIsOomKilled() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("greedy").build());
        String id = host.run(
                sandbox,
                host.shell("x=a; while true; do x=$x$x; done")
                        .resources(LinuxResources.NONE
                                .withMemoryLimit(16 << 20)
                                .withCpuShares(128)
                                .withOomScoreAdj(-500))
                        .build());
        assertThat(host.awaitExit(id).exitCode()).isEqualTo(137);
        assertThat(host.runtime.container(id).orElseThrow().reason()).isEqualTo("OOMKilled");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void imageUsersAreFoundByNameWithTheirGroups() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("user").build());
        String id = host.run(
                sandbox,
                host.shell("id")
                        .security(SecurityContext.builder()
                                .userName("web")
                                .supplementalGroups(List.of(2000L))
                                .build())
                        .build());
        host.awaitExit(id);
        assertThat(host.output(id)).contains("uid=101(web) gid=102(web) groups=102(web),777(extra),2000");
        assertThatThrownBy(() -> host.runtime.createContainer(
                        sandbox.id(),
                        host.shell("id")
                                .security(SecurityContext.builder()
                                        .userName("nobody-here")
                                        .build())
                                .build()))
                .isInstanceOf(RuntimeFailure.class)
                .hasMessageContaining("unable to find user nobody-here");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void defaultsAreTightAndPrivilegedIsNot() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("tight").build());
        String script = "grep CapEff /proc/self/status; grep Seccomp: /proc/self/status;"
                + " (echo 1 > /proc/sys/kernel/panic) 2>/dev/null && echo wrote;"
                + " unshare -n true 2>/dev/null && echo unshared; ls /proc/kcore -l; touch /x || echo read only root";
        String tight = host.run(
                sandbox,
                host.shell(script)
                        .security(SecurityContext.builder()
                                .seccomp(new Seccomp.RuntimeDefault())
                                .readOnlyRootfs(true)
                                .noNewPrivileges(true)
                                .build())
                        .build());
        host.awaitExit(tight);
        assertThat(host.output(tight))
                .contains("CapEff:\t00000000a80425fb", "Seccomp:\t2", "read only root")
                .doesNotContain("wrote", "unshared");

        String loose = host.run(
                sandbox,
                host.shell(script)
                        .security(SecurityContext.builder().privileged(true).build())
                        .build());
        host.awaitExit(loose);
        assertThat(host.output(loose)).contains("Seccomp:\t0", "unshared");

        String none = host.run(
                sandbox,
                host.shell(script)
                        .security(SecurityContext.builder()
                                .dropCapabilities(List.of("ALL"))
                                .addCapabilities(List.of("NET_BIND_SERVICE"))
                                .build())
                        .build());
        host.awaitExit(none);
        assertThat(host.output(none)).contains("CapEff:\t0000000000000400");
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void sharedProcessNamespaceHasAFirstProcessOfItsOwn() throws Exception {
        SandboxSpec spec = host.pod("family")
                .namespaces(new Namespaces(false, false, false, true))
                .build();
        Sandbox sandbox = host.runtime.runSandbox(spec);
        String first = host.run(sandbox, host.shell("echo up; sleep 12345").build());
        awaitOutput(first, "up");
        String second = host.run(sandbox, host.shell("ps -o pid,args").build());
        host.awaitExit(second);
        assertThat(host.output(second)).containsPattern("1 +/pause").contains("sleep 12345");
        assertThat(host.runtime.runSandbox(spec).id()).isEqualTo(sandbox.id());
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void hostNamespacesAreTheHostsOwn() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("guest")
                .namespaces(new Namespaces(true, true, true, false))
                .build());
        assertThat(sandbox.addresses()).isEmpty();
        assertThat(sandbox.hostNetwork()).isTrue();
        String id = host.run(
                sandbox,
                host.shell("hostname; ls -d /proc/" + ProcessHandle.current().pid())
                        .build());
        host.awaitExit(id);
        assertThat(host.output(id))
                .contains(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip())
                .contains("/proc/" + ProcessHandle.current().pid());
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void commandThatDoesNotExistEndsItsContainerAsItIsStarted() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("typo").build());
        String id = host.runtime.createContainer(
                sandbox.id(),
                ContainerSpec.builder("main", host.image)
                        .command(List.of("no-such-program"))
                        .build());
        String why = "exec: \"no-such-program\": executable file not found in $PATH";
        assertThatThrownBy(() -> host.runtime.startContainer(id))
                .isInstanceOf(RuntimeFailure.class)
                .hasMessageContaining(why);
        ContainerStatus ended = host.runtime.container(id).orElseThrow();
        assertThat(ended.state()).isEqualTo(State.EXITED);
        assertThat(ended.exitCode()).hasValue(128);
        assertThat(ended.reason()).isEqualTo("StartError");
        assertThat(ended.message()).contains(why);
        assertThat(ended.startedAt()).isEmpty();
        host.runtime.removeContainer(id);
        assertThat(host.traces()).noneMatch(trace -> trace.contains("/containers/"));
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void mountsOverTheKernelsFoldersAreRefused() {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("hostile").build());
        for (String target : List.of("/", "/proc", "/sys/../proc", "relative")) {
            assertThatThrownBy(() -> host.runtime.createContainer(
                            sandbox.id(),
                            host.shell("true")
                                    .mounts(List.of(Mount.of(host.root, target)))
                                    .build()))
                    .isInstanceOf(RuntimeFailure.class)
                    .hasMessageContaining("invalid mount path");
        }
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void theHostsDevicesAndSystemCanBeMountedWhereTheContainerHasItsOwn() throws Exception {
        Path device = Files.createTempFile(Path.of("/dev"), "argosy", "");
        try {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("driver").build());
            String id = host.run(
                    sandbox,
                    host.shell("ls /dev /sys/class/net; touch /sys/x || echo no file in sysfs")
                            .security(SecurityContext.builder().privileged(true).build())
                            .mounts(List.of(
                                    Mount.of(Path.of("/dev"), "/dev"), Mount.readOnly(Path.of("/sys"), "/sys/")))
                            .build());
            host.awaitExit(id);
            assertThat(host.output(id))
                    .contains(device.getFileName().toString(), host.config.bridge(), "no file in sysfs");
            host.runtime.removeSandbox(sandbox.id());
        } finally {
            Files.delete(device);
        }
    }

    @Test
    void readOnlyReachesAsFarAsItSays() throws Exception {
        Path data = Files.createDirectories(host.root.resolve("nested"));
        Path below = Files.createDirectories(data.resolve("below"));
        MountCalls.mount("tmpfs", below, "tmpfs", 0, "");
        try {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("nested").build());
            String id = host.run(
                    sandbox,
                    host.shell("touch /plain/below/a && echo plain open; touch /deep/below/b || echo deep closed")
                            .mounts(List.of(
                                    Mount.readOnly(data, "/plain"),
                                    new Mount(data, "/deep", true, true, Mount.Propagation.PRIVATE, false)))
                            .build());
            host.awaitExit(id);
            assertThat(host.output(id)).contains("plain open", "deep closed");
            host.runtime.removeSandbox(sandbox.id());
        } finally {
            MountCalls.unmountIfMounted(below);
        }
    }

    @Test
    void laterMountsOfTheHostTravelIntoTheContainerThatAsks() throws Exception {
        Path data = Files.createDirectories(host.root.resolve("travelled"));
        Path below = Files.createDirectories(data.resolve("below"));
        Commands.run(List.of("mount", "--bind", data.toString(), data.toString()));
        Commands.run(List.of("mount", "--make-shared", data.toString()));
        try {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("travel").build());
            String id = host.run(
                    sandbox,
                    host.shell("sleep 1000")
                            .mounts(List.of(
                                    Mount.of(data, "/private"),
                                    new Mount(data, "/slave", false, Mount.Propagation.HOST_TO_CONTAINER)))
                            .build());
            MountCalls.mount("tmpfs", below, "tmpfs", 0, "");
            Files.writeString(below.resolve("late"), "x");
            assertThat(host.runtime
                            .execSync(
                                    id,
                                    List.of("/bin/sh", "-c", "ls /slave/below /private/below"),
                                    BusyboxHost.PATIENCE)
                            .stdout())
                    .asString(UTF_8)
                    .isEqualTo("/private/below:\n\n/slave/below:\nlate\n");
            host.runtime.removeSandbox(sandbox.id());
        } finally {
            MountCalls.unmountIfMounted(below);
            MountCalls.unmountIfMounted(data);
        }
    }

    @Test
    void theLimitsOfAPodAreChangedWhileItRuns() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("grown")
                .resources(LinuxResources.NONE.withMemoryLimit(32 << 20).withPids(50))
                .build());
        Path group = Path.of("/sys/fs/cgroup")
                .resolve(
                        host.config.cgroupParent().substring(1),
                        "pod" + sandbox.pod().uid());
        Path old = Path.of("/sys/fs/cgroup/memory")
                .resolve(
                        host.config.cgroupParent().substring(1),
                        "pod" + sandbox.pod().uid());
        Path limit = Files.isDirectory(old) ? old.resolve("memory.limit_in_bytes") : group.resolve("memory.max");
        assertThat(limit).hasContent(Long.toString(32 << 20));
        host.runtime.updateSandboxResources(sandbox.id(), LinuxResources.NONE.withMemoryLimit(64 << 20));
        assertThat(limit).hasContent(Long.toString(64 << 20));
        host.runtime.removeSandbox(sandbox.id());
    }

    @Test
    void usageIsReadAndLimitsAreChangedWhileRunning() throws Exception {
        Sandbox sandbox = host.runtime.runSandbox(host.pod("measured").build());
        String id = host.run(sandbox, host.shell("echo up; sleep 1000").build());
        awaitOutput(id, "up");
        assertThat(host.runtime.containerStats(id).orElseThrow().usage().memoryBytes())
                .isPositive();
        assertThat(host.runtime.sandboxStats(sandbox.id()).orElseThrow().containers())
                .hasSize(1);
        host.runtime.updateResources(id, LinuxResources.NONE.withCpuShares(512).withMemoryLimit(64 << 20));
        assertThat(host.runtime
                        .execSync(
                                id,
                                List.of(
                                        "/bin/sh",
                                        "-c",
                                        "cat /sys/fs/cgroup/memory/memory.limit_in_bytes"
                                                + " /sys/fs/cgroup/memory.max 2>/dev/null"),
                                BusyboxHost.PATIENCE)
                        .stdout())
                .asString(UTF_8)
                .contains("67108864");
        host.runtime.removeSandbox(sandbox.id());
    }

    static void awaitOutput(String id, String text) throws Exception {
        StreamsTest.awaitOutput(host, id, text);
    }
}
