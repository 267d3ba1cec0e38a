package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.cluster.Cluster;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rollouts as kubectl records them, takes them back to any revision and restarts them. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolloutCommandsTest {
    private static final String WEB = "deployment/nginx-deployment";

    @TempDir
    static Path folder;

    private Cluster cluster;

    static List<Path> kubectls() {
        return Machine.kubectls();
    }

    @BeforeAll
    void start() {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        cluster = Cluster.builder()
                .home(folder.resolve("home"))
                .port(0)
                .simulatedNodes(3)
                .start();
    }

    @AfterAll
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest
    @MethodSource("kubectls")
    void rolloutsAreRecordedTakenBackAndRestarted(Path program) {
        Kubectl kubectl = new Kubectl(program, folder.resolve("home/kubeconfig"));
        String namespace = "rollouts-" + program.getFileName().toString().replace('.', '-');
        kubectl.ok("create", "namespace", namespace);
        Path manifest = Machine.project().resolve("examples/nginx/nginx-deployment.yaml");
        kubectl.ok("-n", namespace, "apply", "-f", manifest.toString());
        rolledOut(kubectl, namespace);
        for (String image : List.of("nginx:1.9.1", "nginx:1.10")) {
            kubectl.ok("-n", namespace, "set", "image", WEB, "nginx=" + image, "--record");
            rolledOut(kubectl, namespace);
        }
        assertThat(history(kubectl, namespace))
                .anyMatch(line -> line.matches("2\\s+.* set image .*nginx=nginx:1.9.1.*"))
                .anyMatch(line -> line.matches("3\\s+.* set image .*nginx=nginx:1.10.*"));
        assertThat(kubectl.ok("-n", namespace, "rollout", "history", WEB, "--revision=1"))
                .contains("nginx:1.7.9");

        kubectl.ok("-n", namespace, "rollout", "undo", WEB, "--to-revision=1");
        rolledOut(kubectl, namespace);
        assertThat(kubectl.ok("-n", namespace, "describe", WEB)).contains("nginx:1.7.9");
        assertThat(history(kubectl, namespace))
                .noneMatch(line -> line.matches("1\\s.*"))
                .anyMatch(line -> line.matches("4\\s.*"));
        Command.Outcome gone = kubectl.run("-n", namespace, "rollout", "undo", WEB, "--to-revision=1");
        assertThat(gone.code()).isNotZero();
        assertThat(gone.err()).contains("unable to find specified revision 1 in history");

        List<String> before = kubectl.names("pods", "-n", namespace);
        kubectl.ok("-n", namespace, "rollout", "restart", WEB);
        rolledOut(kubectl, namespace);
        Eventually.holds(
                "three others",
                () -> {
                    List<String> now = kubectl.names("pods", "-n", namespace);
                    return now.size() == 3 && now.stream().noneMatch(before::contains);
                },
                () -> kubectl.ok("-n", namespace, "get", "pods"));
        assertThat(kubectl.ok("-n", namespace, "get", WEB, "-o", "yaml")).contains("kubectl.kubernetes.io/restartedAt");
    }

    private static void rolledOut(Kubectl kubectl, String namespace) {
        kubectl.ok("-n", namespace, "rollout", "status", WEB, "--timeout=60s");
    }

    private static List<String> history(Kubectl kubectl, String namespace) {
        return kubectl.ok("-n", namespace, "rollout", "history", WEB).lines().toList();
    }
}
