package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.Clock;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Argosy killed without warning: the pods go on, and the next instance knows them and cleans up after the last. */
@Timeout(120)
class CrashTest {

    @Test
    void podsOutliveTheProcessAndExitsMeanwhileAreFound() throws Exception {
        try (BusyboxHost host = new BusyboxHost("crash", 13)) {
            host.runtime.close();
            Process victim = Victim.launch(host, "once");
            String fast;
            String slow;
            try (BufferedReader said = victim.inputReader()) {
                fast = said.readLine();
                slow = said.readLine();
                victim.destroyForcibly().waitFor();
            }
            Files.createFile(host.root.resolve("go"));

            host.open();
            assertThat(host.awaitExit(fast).exitCode()).isEqualTo(9);
            assertThat(host.runtime.container(fast).orElseThrow().reason()).isEqualTo("Error");
            ContainerStatus running = host.runtime.container(slow).orElseThrow();
            assertThat(running.state()).isEqualTo(State.RUNNING);
            assertThat(running.startedAt()).isPresent();
            assertThat(running.labels()).containsEntry("kept", "yes");
            Sandbox sandbox = host.runtime.sandboxes().getFirst();
            assertThat(sandbox.state()).isEqualTo(Sandbox.State.READY);
            assertThat(sandbox.addresses()).hasSize(1);
            assertThat(host.runtime
                            .execSync(slow, List.of("echo", "alive"), BusyboxHost.PATIENCE)
                            .exitCode())
                    .isZero();
        }
    }

    @Test
    void killedAtAnyMomentNothingStaysHalfMade() throws Exception {
        try (BusyboxHost host = new BusyboxHost("chaos", 14)) {
            host.runtime.close();
            int rounds = Integer.getInteger("argosy.crash.rounds", 8);
            Random random = Dice.thrown("CrashTest");
            for (int round = 0; round < rounds; round++) {
                Process victim = Victim.launch(host, "loop");
                try (BufferedReader said = victim.inputReader()) {
                    assertThat(said.readLine()).isEqualTo("begin");
                    victim.waitFor(random.nextInt(50, 450), TimeUnit.MILLISECONDS);
                    victim.destroyForcibly().waitFor();
                }
                host.open();
                for (Sandbox sandbox : host.runtime.sandboxes()) {
                    assertThat(sandbox.state()).isEqualTo(Sandbox.State.READY);
                    host.runtime.removeSandbox(sandbox.id());
                }
                assertThat(host.traces()).isEmpty();
                host.runtime.close();
            }
            host.open();
        }
    }

    @Test
    void twoInstancesCannotRunThePodsOfOneFolder() throws Exception {
        try (BusyboxHost host = new BusyboxHost("twice", 15)) {
            assertThatThrownBy(() -> OciRuntime.open(host.config, Clock.system()))
                    .isInstanceOf(RuntimeFailure.class)
                    .hasMessageContaining("another process runs the pods of");
        }
    }

    /** A process that makes pods until it is killed. */
    static final class Victim {
        private Victim() {}

        static Process launch(BusyboxHost host, String mode) throws Exception {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Victim.class.getName(),
                            mode,
                            host.root.toString(),
                            host.config.instance(),
                            host.config.podCidr())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        }

        public static void main(String[] arguments) throws Exception {
            Path root = Path.of(arguments[1]);
            Image image = new Image(
                    "sha256:busybox",
                    List.of(),
                    List.of(),
                    0,
                    List.of(root.resolve("layer")),
                    io.argosy.node.image.ImageConfig.EMPTY);
            OciConfig config = OciConfig.of(root.resolve("runtime"), arguments[2], arguments[3]);
            OciRuntime runtime = OciRuntime.open(config, Clock.system());
            if (arguments[0].equals("once")) {
                Sandbox sandbox = runtime.runSandbox(pod(root, 0));
                Path signal = root.resolve("go");
                for (String script :
                        List.of("while [ ! -e " + signal + " ]; do sleep 0.05; done; exit 9", "echo up; sleep 10000")) {
                    String id = runtime.createContainer(
                            sandbox.id(),
                            ContainerSpec.builder("main", image)
                                    .command(List.of("/bin/sh", "-c", script))
                                    .mounts(List.of(io.argosy.node.runtime.Mount.of(root, root.toString())))
                                    .labels(java.util.Map.of("kept", "yes"))
                                    .build());
                    runtime.startContainer(id);
                    System.out.println(id);
                }
                System.in.read();
            }
            System.out.println("begin");
            for (int i = 1; true; i++) {
                Sandbox sandbox = runtime.runSandbox(pod(root, i));
                String id = runtime.createContainer(
                        sandbox.id(),
                        ContainerSpec.builder("main", image)
                                .command(List.of("/bin/sleep", "1000"))
                                .build());
                runtime.startContainer(id);
                runtime.removeSandbox(sandbox.id());
            }
        }

        private static SandboxSpec pod(Path root, int number) {
            return SandboxSpec.builder(
                            new PodIdentity("default", "victim-" + number, "uid-" + number, 0),
                            root.resolve("logs").resolve("victim"))
                    .hostname("victim")
                    .build();
        }
    }
}
