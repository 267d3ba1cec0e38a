package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/sidecar-injector}: proxies that a webhook puts into pods, and traffic that one object moves from one version to the next. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SidecarInjectorTest {
    private static final int NETWORK = 50;
    private static final String INIT_CONTAINERS = ".spec.initContainers[*].name";

    /**
     * Of this many visits a tenth is 60. Were each a matter of chance, fewer than 22 or more than 104, six standard deviations away,
     * would be seen once in ten million runs.
     */
    private static final int VISITS = 600;

    @TempDir
    static Path folder;

    private Example example;
    private Kubectl kubectl;

    @BeforeAll
    void start() {
        Machine.assumeContainers();
        example = new Example("sidecar-injector", folder.resolve("home"), NETWORK);
        kubectl = example.kubectl();
    }

    @AfterAll
    void stop() {
        if (example != null) {
            example.close();
        }
    }

    private void rolledOut(String namespace, String deployment) {
        kubectl.ok("-n", namespace, "rollout", "status", "deployment/" + deployment, "--timeout=90s");
    }

    /** How many of these visits to the service came to version 2. */
    private int second(int visits) {
        String seen = kubectl.ok(
                "-n",
                "shop",
                "exec",
                "deployment/visitor",
                "-c",
                "visitor",
                "--",
                "sh",
                "-c",
                "for i in $(seq " + visits + "); do busybox wget -qO- http://backend || echo failed; done");
        assertThat(seen.lines()).hasSize(visits).allMatch(line -> line.equals("v1") || line.equals("v2"));
        return (int) seen.lines().filter("v2"::equals).count();
    }

    private String visitor(String path) {
        return kubectl.ok("-n", "shop", "get", "pods", "-l", "app=visitor", "-o", "jsonpath={.items[*]" + path + "}");
    }

    @Test
    @Order(1)
    void theDefinitionIsWhatTheClassSays() throws IOException {
        Path project = Machine.project();
        Path jar = project.resolve(
                "examples/sidecar-injector/target/app/argosy-example-sidecar-injector-0.1.0-SNAPSHOT.jar");
        String printed = Command.of(project.resolve("argosy").toString())
                .and("crd", "generate", "-cp", jar.toString(), "io.argosy.examples.sidecar.TrafficSplit")
                .run()
                .ok();
        assertThat(printed)
                .contains(Files.readString(project.resolve("examples/sidecar-injector/crd.yaml"))
                        .strip());
        example.apply("crd.yaml");
        kubectl.ok("wait", "crd/trafficsplits.mesh.example.com", "--for=condition=Established", "--timeout=60s");
    }

    @Test
    @Order(2)
    void podsOfTheNamespaceGetAProxyThatSendsOneInTenToTheNewVersion() {
        example.apply("injector.yaml");
        rolledOut("mesh", "sidecar-injector");
        example.apply("shop.yaml", "split.yaml", "visitor.yaml");
        rolledOut("shop", "backend-v1");
        rolledOut("shop", "backend-v2");
        rolledOut("shop", "visitor");
        assertThat(visitor(INIT_CONTAINERS)).isEqualTo("redirect proxy");
        assertThat(kubectl.ok("-n", "mesh", "get", "pods", "-o", "jsonpath={.items[*]" + INIT_CONTAINERS + "}"))
                .isEmpty();
        assertThat(kubectl.ok(
                        "-n",
                        "shop",
                        "get",
                        "deployment/visitor",
                        "-o",
                        "jsonpath={.spec.template" + INIT_CONTAINERS + "}"))
                .isEmpty();
        assertThat(second(VISITS)).isBetween(22, 104);
    }

    @Test
    @Order(3)
    void oneEditMovesEverybodyToTheNewVersionWithoutARestart() {
        String uid = visitor(".metadata.uid");
        Command.Outcome none = weights(0, 0);
        assertThat(none.code()).isNotZero();
        assertThat(none.all()).contains("weights are not negative, and one is above zero");
        weights(0, 100).ok();
        Eventually.holds(
                "all go to version 2",
                () -> second(20) == 20,
                () -> kubectl.run("get", "trafficsplits", "-A").all());
        assertThat(second(VISITS)).isEqualTo(VISITS);
        assertThat(visitor(".metadata.uid")).isEqualTo(uid);
        assertThat(visitor(".status.initContainerStatuses[*].restartCount")).isEqualTo("0 0");
    }

    private Command.Outcome weights(int first, int second) {
        return kubectl.run(
                "-n",
                "shop",
                "patch",
                "trafficsplit",
                "backend",
                "--type=merge",
                "-p",
                "{\"spec\":{\"weights\":{\"backend-v1\":" + first + ",\"backend-v2\":" + second + "}}}");
    }

    @Test
    @Order(4)
    void theSameInjectionAsAnInitializer() {
        kubectl.ok("delete", "mutatingwebhookconfiguration", "sidecar-injector");
        example.apply("initializer-role.yaml");
        kubectl.ok("-n", "mesh", "set", "env", "deployment/sidecar-injector", "MODE=initializer");
        rolledOut("mesh", "sidecar-injector");
        example.apply("initializer.yaml");
        String before = visitor(".metadata.uid");
        kubectl.ok("-n", "shop", "delete", "pod", "-l", "app=visitor", "--now");
        Eventually.holds(
                "another visitor is there",
                () -> !visitor(".metadata.uid").matches("|" + before),
                () -> kubectl.run("get", "pods", "-A").all());
        rolledOut("shop", "visitor");
        assertThat(visitor(INIT_CONTAINERS)).isEqualTo("redirect proxy");
        assertThat(second(20)).isEqualTo(20);
        kubectl.ok("delete", "initializerconfiguration", "sidecar-injector");
    }
}
