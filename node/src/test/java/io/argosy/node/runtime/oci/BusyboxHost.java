package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.runtime.ContainerEvent;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A runtime of a test's own on this host, with an image made of the host's static busybox, and a look for leaks. */
final class BusyboxHost implements AutoCloseable {
    private static final Path BUSYBOX = Path.of("/usr/bin/busybox");
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final Path root;
    final OciConfig config;
    final Image image;
    private final ConcurrentHashMap<String, CompletableFuture<ContainerEvent>> exits = new ConcurrentHashMap<>();
    OciRuntime runtime;

    BusyboxHost(String instance, int subnet) throws IOException {
        skipUnlessContainersCanRun();
        this.root = Files.createTempDirectory("argosy-" + instance);
        this.config = OciConfig.of(root.resolve("runtime"), instance, "10.251." + subnet + ".0/24");
        this.image = busyboxImage(root.resolve("layer"));
        open();
    }

    static void skipUnlessContainersCanRun() {
        List<String> missing = new ArrayList<>();
        OciConfig usual = OciConfig.of(Path.of("/tmp"), "probe", "10.251.0.0/24");
        if (!System.getProperty("user.name").equals("root")) {
            missing.add("root");
        }
        for (Path program : List.of(
                usual.runc(),
                usual.conmon(),
                usual.cniPlugins().resolve("bridge"),
                BUSYBOX,
                Path.of("/usr/sbin/nft"))) {
            if (!Files.isExecutable(program)) {
                missing.add(program.toString());
            }
        }
        if (!missing.isEmpty()) {
            System.out.println("SKIPPED: real containers need " + missing);
        }
        Assumptions.assumeTrue(missing.isEmpty(), "real containers need " + missing);
    }

    void open() {
        runtime = OciRuntime.open(config, Clock.system());
        runtime.events(event -> exit(event.containerId()).complete(event));
    }

    private CompletableFuture<ContainerEvent> exit(String id) {
        return exits.computeIfAbsent(id, _ -> new CompletableFuture<>());
    }

    ContainerEvent awaitExit(String id) throws Exception {
        return exit(id).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    static Image busyboxImage(Path layer) throws IOException {
        Path bin = Files.createDirectories(layer.resolve("bin"));
        Files.copy(BUSYBOX, bin.resolve("busybox"));
        for (String applet : List.of(
                "sh",
                "echo",
                "cat",
                "sleep",
                "id",
                "ls",
                "nc",
                "wget",
                "hostname",
                "ps",
                "stty",
                "kill",
                "true",
                "dd",
                "mkdir",
                "touch",
                "httpd",
                "tail",
                "env",
                "mount",
                "seq",
                "grep",
                "ip",
                "chroot",
                "unshare")) {
            Files.createSymbolicLink(bin.resolve(applet), Path.of("busybox"));
        }
        for (String folder : List.of("etc", "tmp", "proc", "sys", "dev", "root", "data")) {
            Files.createDirectories(layer.resolve(folder));
        }
        Files.writeString(layer.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\nweb:x:101:102::/:/bin/sh\n");
        Files.writeString(layer.resolve("etc/group"), "root:x:0:\nweb:x:102:\nextra:x:777:web\n");
        ImageConfig config = new ImageConfig(
                List.of("FROM_IMAGE=yes"),
                List.of(),
                List.of("/bin/sh"),
                "",
                "",
                "",
                List.of(),
                List.of(),
                java.util.Map.of());
        return new Image("sha256:busybox", List.of("busybox:test"), List.of(), 0, List.of(layer), config);
    }

    SandboxSpec.Builder pod(String name) {
        return SandboxSpec.builder(
                        new PodIdentity("default", name, UUID.randomUUID().toString(), 0),
                        root.resolve("logs").resolve(name))
                .hostname(name);
    }

    ContainerSpec.Builder shell(String script) {
        return ContainerSpec.builder("main", image).command(List.of("/bin/sh", "-c", script));
    }

    String run(Sandbox sandbox, ContainerSpec spec) {
        String id = runtime.createContainer(sandbox.id(), spec);
        runtime.startContainer(id);
        return id;
    }

    /** The text the container wrote, without the marks of the log's format. */
    String output(String id) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line :
                Files.readAllLines(runtime.container(id).orElseThrow().logPath())) {
            text.append(line.split(" ", 4)[3]).append('\n');
        }
        return text.toString();
    }

    void awaitOutput(String id, String text) {
        io.argosy.client.fake.Eventually.eventually("says " + text, () -> {
            try {
                return output(id).contains(text);
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Everything of this instance's pods that exists on the host outside its files. */
    List<String> traces() throws IOException {
        List<String> traces = new ArrayList<>();
        mounts().filter(line -> !line.contains(" " + config.memory() + " "))
                .forEach(line -> traces.add("mount " + line));
        Path ports = Path.of("/sys/class/net", config.bridge(), "brif");
        if (Files.exists(ports)) {
            try (Stream<Path> veths = Files.list(ports)) {
                veths.forEach(veth -> traces.add("interface " + veth));
            }
        }
        for (Path top : List.of(Path.of("/sys/fs/cgroup"))) {
            try (Stream<Path> trees = Files.list(top)) {
                trees.map(tree -> tree.resolve(config.cgroupParent().substring(1)))
                        .filter(Files::isDirectory)
                        .flatMap(BusyboxHost::children)
                        .filter(Files::isDirectory)
                        .forEach(group -> traces.add("cgroup " + group));
            }
        }
        ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .orElse("")
                        .contains(config.root().toString()))
                .forEach(process ->
                        traces.add("process " + process.info().commandLine().orElseThrow()));
        Path addresses = config.addresses().resolve(config.networkName());
        if (Files.exists(addresses)) {
            children(addresses)
                    .filter(file -> file.getFileName().toString().startsWith("10."))
                    .forEach(file -> traces.add("address " + file));
        }
        for (Path folder : List.of(
                config.sandboxes(),
                config.containers(),
                config.exits(),
                config.runcRoot(),
                config.bundles(),
                config.holds())) {
            if (Files.exists(folder)) {
                children(folder).forEach(file -> traces.add("file " + file));
            }
        }
        return traces;
    }

    private Stream<String> mounts() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(root.toString()));
    }

    private static Stream<Path> children(Path folder) {
        try (Stream<Path> list = Files.list(folder)) {
            return list.toList().stream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        runtime.destroyAll();
        runtime.close();
        assertThat(traces()).isEmpty();
        assertThat(mounts()).isEmpty();
        assertThat(Path.of("/sys/class/net", config.bridge())).doesNotExist();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
