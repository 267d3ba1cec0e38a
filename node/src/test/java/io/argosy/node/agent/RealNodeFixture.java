package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;

import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeImages;
import io.argosy.node.agent.manifest.PodForm;
import io.argosy.node.agent.volume.TokenSource;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.oci.OciConfig;
import io.argosy.node.runtime.oci.OciRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** An agent over real containers: runc, conmon, overlayfs and the pod network of this machine. */
abstract class RealNodeFixture {
    private static final Path BUSYBOX = Path.of("/usr/bin/busybox");
    static final String NODE = "real-node";

    private final String name;
    private final int network;
    private final FakeApi api = new FakeApi();
    final Client client = api.client();
    final FakeEvents events = new FakeEvents();
    Path root;
    FakeImages images;
    OciRuntime runtime;
    private SharedInformers informers;
    NodeAgent agent;

    /** Two nodes on one machine must not share a name or a network. */
    RealNodeFixture(String name, int network) {
        this.name = name;
        this.network = network;
    }

    @BeforeEach
    void begin() throws Exception {
        OciConfig config = OciConfig.of(Path.of("/tmp"), name, cidr());
        List<String> missing = new ArrayList<>();
        if (!System.getProperty("user.name").equals("root")) {
            missing.add("root");
        }
        for (Path program :
                List.of(config.runc(), config.conmon(), config.cniPlugins().resolve("bridge"), BUSYBOX)) {
            if (!Files.isExecutable(program)) {
                missing.add(program.toString());
            }
        }
        if (!missing.isEmpty()) {
            System.out.println("SKIPPED: real pods need " + missing);
        }
        Assumptions.assumeTrue(missing.isEmpty(), "real pods need " + missing);
        root = Files.createTempDirectory("argosy-agent");
        images = new FakeImages().with("busybox:1", List.of(busybox(root.resolve("layer"))));
        startAgent();
    }

    private static Path busybox(Path layer) throws IOException {
        Path bin = Files.createDirectories(layer.resolve("bin"));
        Files.copy(BUSYBOX, bin.resolve("busybox"));
        for (String applet :
                List.of("sh", "echo", "cat", "sleep", "httpd", "ls", "hostname", "id", "wget", "env", "grep")) {
            Files.createSymbolicLink(bin.resolve(applet), Path.of("busybox"));
        }
        for (String folder : List.of("etc", "tmp", "proc", "sys", "dev", "root", "data")) {
            Files.createDirectories(layer.resolve(folder));
        }
        Files.writeString(layer.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
        return layer;
    }

    private String cidr() {
        return "10.251." + network + ".0/24";
    }

    /** What a test says about its node beyond the usual. */
    NodeConfig config(NodeConfig usual) {
        return usual;
    }

    void startAgent() throws Exception {
        runtime = OciRuntime.open(OciConfig.of(root.resolve("runtime"), name, cidr()), Clock.system());
        informers = new SharedInformers(api, Clock.system());
        var pods = informers.of(Pod.class);
        var services = informers.of(Service.class);
        informers.start();
        informers.awaitSync();
        agent = new NodeAgent(
                config(NodeConfig.of(NODE, root.resolve("node"), "10.251." + network + ".1", "10.96.0.10")),
                new NodeAgent.Ground(
                        client,
                        pods,
                        services,
                        runtime,
                        images,
                        Clock.system(),
                        events,
                        TokenSource.NONE,
                        PodForm.AS_GIVEN,
                        Room.ENDLESS));
        agent.start();
    }

    void stopAgent() {
        agent.close();
        informers.close();
        runtime.close();
    }

    /** Until then a new agent does not know the pod; its status, being the old agent's word, does not tell. */
    void awaitTakenOver(String pod) {
        eventually("taken over", () -> {
            try {
                return exec(pod, "hostname").equals(pod);
            } catch (Exception e) {
                return false;
            }
        });
    }

    @AfterEach
    void end() throws Exception {
        if (agent == null) {
            return;
        }
        for (Pod pod : client.resources(Pod.class).list("default", java.util.Map.of())) {
            client.resources(Pod.class)
                    .delete("default", pod.getMetadata().getName(), new Resources.DeleteOptions(1L, null, null, null));
        }
        eventually("nothing is left", () -> runtime.sandboxes().isEmpty());
        runtime.destroyAll();
        stopAgent();
        Trees.delete(root);
    }

    static PodBuilder pod(String name, String... command) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .withTerminationGracePeriodSeconds(1L)
                .addNewContainer()
                .withName("web")
                .withImage("busybox:1")
                .withCommand(command)
                .endContainer()
                .endSpec();
    }

    Optional<Pod> find(String name) {
        return client.resources(Pod.class).find("default", name);
    }

    boolean ready(String name) {
        return find(name).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getConditions().stream())
                .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
    }

    /** Why the pod's first container that waits does so; empty if none does. */
    String waiting(String name) {
        return find(name).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getContainerStatuses().stream())
                .filter(s -> s.getState().getWaiting() != null)
                .map(s -> s.getState().getWaiting().getReason())
                .findFirst()
                .orElse("");
    }

    String exec(String pod, String... command) throws Exception {
        try (ExecSession session = agent.streams()
                .exec("default", pod, "web", new ExecRequest(List.of(command), false, false, true, true))) {
            byte[] out = session.stdout().readAllBytes();
            session.waitFor();
            return new String(out, StandardCharsets.UTF_8).strip();
        }
    }
}
