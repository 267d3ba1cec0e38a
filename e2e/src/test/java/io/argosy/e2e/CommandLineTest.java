package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can go wrong when Argosy is started: each gets one clear sentence and a code that is not zero, and nothing is lost. */
class CommandLineTest {
    private static final int NETWORK = 13;

    @TempDir
    Path folder;

    private Argosy argosy(String name) {
        return new Argosy(folder.resolve(name), NETWORK);
    }

    private static Command.Outcome up(Argosy argosy, int port) {
        return argosy.command("up", "--runtime", "simulated", "--port", Integer.toString(port))
                .run();
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            Command.Outcome outcome = up(argosy("port"), taken.getLocalPort());
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.err())
                    .contains("Port " + taken.getLocalPort(), "in use")
                    .doesNotContain("Exception");
            assertThat(outcome.err().strip().lines()).hasSize(1);
        }
    }

    @Test
    void aNewerHomeIsLeftAlone() throws IOException {
        Argosy argosy = argosy("newer");
        Files.createDirectories(argosy.home());
        Files.writeString(argosy.home().resolve("format"), "99\n");
        Command.Outcome outcome = up(argosy, Machine.freePort());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("newer Argosy").doesNotContain("Exception");
        assertThat(argosy.home().resolve("state")).doesNotExist();
    }

    @Test
    void aDamagedStateIsSaidAndKept() throws IOException {
        Argosy argosy = argosy("damaged");
        Files.createDirectories(argosy.home().resolve("state"));
        Path database = argosy.home().resolve("state/store.db");
        Files.writeString(
                database, "this is no database, and a long enough text to be taken for a page of one\n".repeat(60));
        byte[] before = Files.readAllBytes(database);
        Command.Outcome outcome = up(argosy, Machine.freePort());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err().strip().lines()).hasSize(1);
        assertThat(outcome.err()).contains(argosy.home().toString()).doesNotContain("Exception");
        assertThat(Files.readAllBytes(database)).isEqualTo(before);
    }

    @Test
    void aHomeThatIsAFileIsRefused() throws IOException {
        Argosy argosy = argosy("file");
        Files.writeString(argosy.home(), "");
        Command.Outcome outcome = up(argosy, Machine.freePort());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("not a folder").doesNotContain("Exception");
    }

    @Test
    void aHomeWithoutPermissionIsRefused() throws IOException {
        assumeTrue(Machine.isRoot() && Machine.has("setpriv"), "skipped: needs root to become somebody else");
        Path locked = Files.createDirectories(folder.resolve("locked"));
        Command.of("chmod", "0755", folder.toString()).run().ok();
        Command.Outcome outcome = Command.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
                .and(argosy("locked/home")
                        .command("up", "--runtime", "simulated")
                        .toString()
                        .split(" "))
                .with("HOME", locked.toString())
                .run();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("No permission").doesNotContain("Exception");
    }

    @Test
    void aFullDiskIsSaid() throws IOException {
        assumeTrue(Machine.isRoot(), "skipped: needs root to mount a small disk");
        Path disk = Files.createDirectories(folder.resolve("disk"));
        Command.of("mount", "-t", "tmpfs", "-o", "size=64k", "argosy-test", disk.toString())
                .run()
                .ok();
        try {
            Command.Outcome outcome = up(argosy("disk/home"), Machine.freePort());
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.err()).contains("full").doesNotContain("Exception");
        } finally {
            Command.of("umount", disk.toString()).run().ok();
        }
    }

    @Test
    void aSecondInstanceOnTheSameHomeIsRefused() {
        Argosy argosy = argosy("twice");
        argosy.up("--runtime", "simulated");
        try {
            argosy.command("status").run().ok();
            // the control socket gone, as if somebody had cleaned up: the lock of the state still tells
            Command.of("rm", argosy.home().resolve("run/control.sock").toString())
                    .run()
                    .ok();
            Command.Outcome outcome = up(argosy, Machine.freePort());
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.err()).contains(Long.toString(argosy.pid())).doesNotContain("Exception");
        } finally {
            argosy.kill();
        }
    }

    @Test
    void stateSurvivesDownAndUp() {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        Argosy argosy = argosy("survives");
        argosy.up("--runtime", "simulated");
        try {
            argosy.kubectl().ok("create", "configmap", "kept");
            argosy.command("down").run().ok();
            assertThat(argosy.command("status").run().code()).isEqualTo(3);
            argosy.up("--runtime", "simulated");
            argosy.kubectl().ok("get", "configmap", "kept");
        } finally {
            argosy.close();
        }
    }

    @Test
    void aSchedulerConfigurationIsKeptOrSaidToBeWrong() throws IOException {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        Path file = folder.resolve("scheduler.yaml");
        String text = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: packed
                  pluginConfig:
                  - name: NodeResourcesFit
                    args: {scoringStrategy: {type: %s}}
                """;
        Files.writeString(file, text.formatted("Odd"));
        Argosy argosy = argosy("scheduler");
        Command.Outcome refused = argosy.command(
                        "up", "--runtime", "simulated", "--port", "0", "--scheduler-config", file.toString())
                .run();
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .contains(file.toString(), "Unsupported value: \"Odd\"")
                .doesNotContain("Exception");
        Files.writeString(file, text.formatted("MostAllocated"));
        argosy.up("--runtime", "simulated", "--scheduler-config", file.toString());
        try {
            argosy.kubectl()
                    .ok("run", "web", "--image=web", "--overrides", "{\"spec\":{\"schedulerName\":\"packed\"}}");
            argosy.kubectl().ok("run", "other", "--image=web");
            argosy.kubectl().ok("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
            Eventually.holds(
                    "placed by the scheduler of that name alone",
                    () -> schedulers(argosy).equals("packed"),
                    () -> schedulers(argosy));
        } finally {
            argosy.close();
        }
    }

    private static String schedulers(Argosy argosy) {
        return argosy.kubectl()
                .ok(
                        "get",
                        "events",
                        "--field-selector=reason=Scheduled",
                        "-o",
                        "jsonpath={.items[*].source.component}");
    }

    @Test
    void inTheForegroundItRunsUntilItIsTold() throws IOException {
        Argosy argosy = argosy("foreground");
        Path log = folder.resolve("foreground.log");
        Process process = argosy.command("up", "--foreground", "--runtime", "simulated", "--port", "0")
                .start(log);
        try {
            Eventually.holds("it is ready", () -> read(log).contains("Argosy is ready"), () -> read(log));
            assertThat(argosy.command("status").run().ok()).contains("1 ready");
        } finally {
            process.destroy();
            process.onExit().join();
        }
        assertThat(argosy.command("status").run().code()).isEqualTo(3);
    }

    @Test
    void withoutANodeThereIsOnlyTheControlPlane() {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl here");
        Argosy argosy = argosy("no-node");
        argosy.up("--no-node");
        try {
            assertThat(argosy.kubectl().run("get", "nodes").all()).contains("No resources found");
            assertThat(argosy.kubectl().ok("get", "namespaces")).contains("kube-system");
        } finally {
            argosy.close();
        }
    }

    @Test
    void withoutRootPodsAreSimulatedAndThatIsSaid() throws IOException {
        assumeTrue(Machine.isRoot() && Machine.has("setpriv"), "skipped: needs root to become somebody else");
        Path home = Files.createDirectories(folder.resolve("nobody"));
        Command.of("chmod", "0755", folder.toString()).run().ok();
        Command.of("chown", "65534:65534", home.toString()).run().ok();
        Argosy argosy = argosy("nobody/home");
        String[] nobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
        Command up = Command.of(nobody)
                .and(argosy.command("up", "--port", "0").toString().split(" "));
        try {
            assertThat(up.with("HOME", home.toString()).run().ok()).contains("simulated", "Argosy is ready");
        } finally {
            argosy.close();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void whatIsNoImageArchiveIsRefused() throws IOException {
        Path text = Files.writeString(folder.resolve("letter.tar"), "dear image store\n".repeat(100));
        for (Path file : List.of(text, folder.resolve("missing.tar"))) {
            Command.Outcome outcome =
                    argosy("import").command("image", "import", file.toString()).run();
            assertThat(outcome.code()).as(file.toString()).isEqualTo(1);
            assertThat(outcome.err().strip().lines()).hasSize(1);
            assertThat(outcome.err()).contains(file.toString()).doesNotContain("Exception");
        }
    }

    @Test
    void imagesAreNamedAndStoppedAsTheyShouldBe() throws IOException {
        Argosy argosy = argosy("images");
        Path file = Files.writeString(folder.resolve("greeting"), "hello\n");
        String[] make = {"image", "make", "-t", "greeting:1", "--add", file + ":/greeting"};
        Command.Outcome refused =
                argosy.command(make).and("--stop-signal", "SIGNONSENSE").run();
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("--stop-signal", "SIGNONSENSE").doesNotContain("Exception");
        argosy.command(make).and("--stop-signal", "SIGQUIT").run().ok();
        argosy.command("image", "tag", "greeting:1", "greeting:2").run().ok();
        assertThat(argosy.command("image", "ls").run().ok()).contains("greeting:1", "greeting:2");
        Command.Outcome missing =
                argosy.command("image", "tag", "nobody:1", "nobody:2").run();
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err()).contains("nobody:1").doesNotContain("Exception");
    }

    @Test
    void helpTeaches() {
        assertThat(Command.of(Machine.project().resolve("argosy").toString(), "--help")
                        .run()
                        .ok())
                .contains("up", "down", "status", "image", "First steps");
        assertThat(argosy("unknown").command("fly").run().code()).isEqualTo(2);
    }
}
