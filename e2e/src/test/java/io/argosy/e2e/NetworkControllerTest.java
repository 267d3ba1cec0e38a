package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/network-controller}: a custom resource whose real world are bridges, with its controller outside the cluster and in it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NetworkControllerTest {
    private static final int NETWORK = 47;
    private static final String MAIN = "io.argosy.examples.network.NetworkController";

    @TempDir
    static Path folder;

    private final Path project = Machine.project().resolve("examples/network-controller");
    private Example example;
    private Kubectl kubectl;

    @BeforeAll
    void start() {
        Machine.assumeContainers("ip");
        example = new Example("network-controller", folder.resolve("home"), NETWORK);
        kubectl = example.kubectl();
    }

    @AfterAll
    void stop() {
        if (example != null) {
            kubectl.run("delete", "networks", "--all");
            bridges("no bridge is left", false, "default/");
            example.close();
        }
    }

    private static String bridges() {
        return Command.of("ip", "-json", "-details", "address", "show", "type", "bridge")
                .run()
                .ok();
    }

    private static void bridges(String what, boolean there, String... words) {
        Eventually.holds(
                what,
                () -> {
                    String now = bridges();
                    return Stream.of(words).allMatch(word -> now.contains(word) == there);
                },
                NetworkControllerTest::bridges);
    }

    @Test
    @Order(1)
    void theDefinitionIsWhatTheClassSays() throws IOException {
        String printed = Command.of(Machine.project().resolve("argosy").toString())
                .and(
                        "crd",
                        "generate",
                        "-cp",
                        project.resolve("target/app") + "/argosy-example-network-controller-0.1.0-SNAPSHOT.jar")
                .and("io.argosy.examples.network.Network")
                .run()
                .ok();
        assertThat(printed)
                .contains(Files.readString(project.resolve("crd.yaml")).strip());
        example.apply("crd.yaml");
        kubectl.ok("wait", "crd/networks.samplecrd.k8s.io", "--for=condition=Established", "--timeout=60s");
    }

    @Test
    @Order(2)
    void outsideTheClusterItMakesAndChangesBridges() throws Exception {
        Process controller = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        project.resolve("target/app") + "/*",
                        MAIN,
                        example.argosy().home().resolve("kubeconfig").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("controller.log").toFile())
                .start();
        try {
            example.apply("example-network.yaml");
            kubectl.await(
                    "the network has its bridge",
                    out -> out.matches("(?s).*example-network +192.168.0.0/16 +192.168.0.1 +net-.*"),
                    "get",
                    "networks");
            assertThat(bridges()).contains("network default/example-network", "\"local\":\"192.168.0.1\"");
            kubectl.ok(
                    "patch",
                    "network",
                    "example-network",
                    "--type=merge",
                    "-p",
                    "{\"spec\":{\"gateway\":\"192.168.0.9\"}}");
            bridges("the bridge has the new address", true, "\"local\":\"192.168.0.9\"");
            kubectl.await("it tells of it", out -> out.contains("BridgeCreated"), "get", "events");
        } finally {
            controller.destroy();
            controller.waitFor();
        }
    }

    @Test
    @Order(3)
    void inTheClusterItClearsUpWhatIsGoneAndMakesWhatIsNew() {
        kubectl.ok("delete", "network", "example-network");
        assertThat(bridges()).contains("network default/example-network");
        example.apply("controller.yaml");
        kubectl.ok("rollout", "status", "daemonset/network-controller", "--timeout=120s");
        bridges("the bridge of what is gone is gone", false, "network default/example-network");
        example.apply("example-network.yaml");
        bridges("the bridge is there again", true, "network default/example-network", "\"local\":\"192.168.0.1\"");
        kubectl.ok("delete", "network", "example-network");
        bridges("the bridge is gone", false, "network default/example-network");
    }
}
