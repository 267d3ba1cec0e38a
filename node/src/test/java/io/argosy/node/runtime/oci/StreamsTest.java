package io.argosy.node.runtime.oci;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.ContainerSpec.Io;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecResult;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** exec, attach, port-forward and log rotation with real runc and conmon. */
@Timeout(60)
class StreamsTest {
    private static BusyboxHost host;
    private static Sandbox sandbox;
    private static String sleeper;

    @BeforeAll
    static void openHost() throws Exception {
        host = new BusyboxHost("streams", 12);
        sandbox = host.runtime.runSandbox(host.pod("streams").build());
        sleeper = host.run(sandbox, host.shell("echo up; sleep 10000").build());
        awaitOutput(host, sleeper, "up");
    }

    @AfterAll
    static void closeHost() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void execSyncReturnsOutputAndExitCode() {
        ExecResult result = host.runtime.execSync(
                sleeper, List.of("/bin/sh", "-c", "echo out; echo err >&2; exit 4"), BusyboxHost.PATIENCE);
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.stdout()).asString(UTF_8).isEqualTo("out\n");
        assertThat(result.stderr()).asString(UTF_8).isEqualTo("err\n");
    }

    @Test
    void execSyncThatHangsIsKilledAtItsTimeout() {
        assertThatThrownBy(() -> host.runtime.execSync(
                        sleeper, List.of("/bin/sh", "-c", "sleep 4711; true"), Duration.ofMillis(500)))
                .isInstanceOfSatisfying(
                        RuntimeFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(RuntimeFailure.Kind.TIMEOUT));
        ExecResult left = host.runtime.execSync(sleeper, List.of("ps", "-o", "args"), BusyboxHost.PATIENCE);
        assertThat(left.stdout()).asString(UTF_8).doesNotContain("4711");
    }

    @Test
    void execSyncWaitsNoLongerForWhatTheCommandLeavesRunning() {
        Duration limit = Duration.ofMillis(250);
        do { // where the command itself did not get its turn in time, there is nothing that it left
            limit = limit.multipliedBy(2);
            Duration timeout = limit;
            assertThatThrownBy(() ->
                            host.runtime.execSync(sleeper, List.of("/bin/sh", "-c", "sleep 4712 & exit 0"), timeout))
                    .isInstanceOfSatisfying(
                            RuntimeFailure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(RuntimeFailure.Kind.TIMEOUT));
        } while (!processes(sleeper).contains("4712") && limit.compareTo(BusyboxHost.PATIENCE) < 0);
        assertThat(processes(sleeper)).contains("4712");
    }

    @Test
    void execOfAnUnknownCommandSaysSo() throws Exception {
        try (ExecSession session =
                host.runtime.exec(sleeper, new ExecRequest(List.of("no-such"), false, false, true, true))) {
            assertThatThrownBy(session::waitFor)
                    .isInstanceOf(RuntimeFailure.class)
                    .hasMessageContaining("exec: \"no-such\": executable file not found in $PATH");
        }
    }

    @Test
    void execPassesStdinToItsEnd() throws Exception {
        try (ExecSession session =
                host.runtime.exec(sleeper, new ExecRequest(List.of("cat"), false, true, true, true))) {
            session.stdin().write("through the container\n".getBytes(UTF_8));
            session.stdin().close();
            assertThat(session.stdout().readAllBytes()).asString(UTF_8).isEqualTo("through the container\n");
            assertThat(session.waitFor()).isZero();
        }
    }

    @Test
    void execCarriesMegabytesUnharmed() throws Exception {
        try (ExecSession session = host.runtime.exec(
                sleeper,
                new ExecRequest(List.of("dd", "if=/dev/zero", "bs=65536", "count=160"), false, false, true, false))) {
            assertThat(session.stdout().readAllBytes()).hasSize(160 * 65536);
            assertThat(session.waitFor()).isZero();
        }
    }

    @Test
    void execOnATerminalKnowsItsSizeAndItsChanges() throws Exception {
        try (ExecSession session =
                host.runtime.exec(sleeper, new ExecRequest(List.of("/bin/sh"), true, true, true, false))) {
            InputStream out = session.stdout();
            session.stdin().write("stty -echo; echo begin-$((1+1))\n".getBytes(UTF_8));
            awaitText(out, "begin-2");
            session.resize(101, 43);
            session.stdin().write("until stty size | grep '43 101'; do sleep 0.02; done\n".getBytes(UTF_8));
            awaitText(out, "43 101");
            session.resize(77, 22);
            session.stdin().write("until stty size | grep '22 77'; do sleep 0.02; done\n".getBytes(UTF_8));
            awaitText(out, "22 77");
            session.stdin().write("exit 5\n".getBytes(UTF_8));
            assertThat(session.waitFor()).isEqualTo(5);
        }
    }

    @Test
    void aCommandThatAsksForTheSizeFirstThingGetsIt() throws Exception {
        try (ExecSession session =
                host.runtime.exec(sleeper, new ExecRequest(List.of("stty", "size"), true, true, true, false))) {
            session.resize(101, 43);
            awaitText(session.stdout(), "43 101");
            assertThat(session.waitFor()).isZero();
        }
    }

    @Test
    void terminalDeliversControlCharacters() throws Exception {
        try (ExecSession session =
                host.runtime.exec(sleeper, new ExecRequest(List.of("/bin/sh"), true, true, true, false))) {
            session.stdin().write("echo sleeping-$((1+1)); sleep 5555; echo after-$((2+2))\n".getBytes(UTF_8));
            awaitText(session.stdout(), "sleeping-2");
            // a shell that has only just forked would take the interrupt for itself
            while (!processes(sleeper).contains("sleep 5555")) {
                Thread.onSpinWait();
            }
            session.stdin().write(3);
            session.stdin().write("echo interrupted-$((3+3)); exit\n".getBytes(UTF_8));
            awaitText(session.stdout(), "interrupted-6");
        }
    }

    @Test
    void closingAnExecKillsIt() throws Exception {
        ExecSession session = host.runtime.exec(
                sleeper, new ExecRequest(List.of("/bin/sh", "-c", "echo on; sleep 8642"), true, true, true, false));
        awaitText(session.stdout(), "on");
        session.close();
        session.waitFor();
        assertThat(processes(sleeper)).doesNotContain("8642");
    }

    private static String processes(String container) {
        ExecResult listing = host.runtime.execSync(container, List.of("ps", "-o", "args"), BusyboxHost.PATIENCE);
        return new String(listing.stdout(), UTF_8);
    }

    @Test
    void attachJoinsTheContainersStreams() throws Exception {
        String id = host.run(
                sandbox,
                host.shell("cat; echo over >&2").io(new Io(false, true, true)).build());
        try (ExecSession session = host.runtime.attach(id, new AttachRequest(true, true, true))) {
            session.stdin().write("typed\n".getBytes(UTF_8));
            awaitText(session.stdout(), "typed");
            session.stdin().close();
            awaitText(session.stderr(), "over");
            assertThat(session.waitFor()).isZero();
        }
        host.runtime.removeContainer(id);
    }

    @Test
    void attachToATerminalCanResizeAndLeaveWithoutEndingIt() throws Exception {
        String id = host.run(
                sandbox,
                host.shell("stty -echo; echo hello; while read x; do echo \"got $x $(stty size)\"; done")
                        .io(new Io(true, true, false))
                        .build());
        try (ExecSession session = host.runtime.attach(id, new AttachRequest(true, true, false))) {
            session.resize(90, 30);
            session.stdin().write("one\n".getBytes(UTF_8));
            awaitText(session.stdout(), "got one 30 90");
        }
        try (ExecSession session = host.runtime.attach(id, new AttachRequest(true, true, false))) {
            session.stdin().write("two\n".getBytes(UTF_8));
            awaitText(session.stdout(), "got two");
        }
        host.runtime.removeContainer(id);
    }

    @Test
    void portForwardReachesThePodsLocalhost() throws Exception {
        String id =
                host.run(sandbox, host.shell("echo up; nc -l -p 7777 -e cat").build());
        awaitOutput(host, id, "up");
        try (DuplexStream stream = connect(id, 7777)) {
            stream.output().write("there and back\n".getBytes(UTF_8));
            stream.output().close();
            assertThat(stream.input().readAllBytes()).asString(UTF_8).isEqualTo("there and back\n");
        }
        assertThatThrownBy(() -> host.runtime.portForward(sandbox.id(), 7778))
                .isInstanceOf(RuntimeFailure.class)
                .hasMessage("failed to connect to localhost:7778 inside the pod, "
                        + "IPv4: dial tcp4 127.0.0.1:7778: connect: connection refused "
                        + "IPv6 dial tcp6 [::1]:7778: connect: connection refused");
        host.runtime.removeContainer(id);
    }

    /** The server says that it is up just before it listens. */
    private static DuplexStream connect(String server, int port) {
        while (true) {
            try {
                return host.runtime.portForward(sandbox.id(), port);
            } catch (RuntimeFailure e) {
                if (host.runtime.container(server).orElseThrow().state() != State.RUNNING || Thread.interrupted()) {
                    throw e;
                }
            }
        }
    }

    @Test
    void logIsReopenedAfterRotation() throws Exception {
        String id = host.run(
                sandbox,
                host.shell("echo first; cat").io(new Io(false, true, false)).build());
        awaitOutput(host, id, "first");
        Path log = host.runtime.container(id).orElseThrow().logPath();
        Files.move(log, log.resolveSibling("rotated.log"));
        host.runtime.reopenLog(id);
        try (ExecSession session = host.runtime.attach(id, new AttachRequest(true, false, false))) {
            awaitFile(log);
            session.stdin().write("second\n".getBytes(UTF_8));
            awaitOutput(host, id, "second");
        }
        assertThat(Files.readString(log)).doesNotContain("first");
        host.runtime.removeContainer(id);
    }

    /** Reads until the text has come. */
    static void awaitText(InputStream in, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        byte[] buffer = new byte[1024];
        while (read.indexOf(text) < 0) {
            int count = in.read(buffer);
            assertThat(count)
                    .as("stream ended before \"%s\" with: %s", text, read)
                    .isPositive();
            read.append(new String(buffer, 0, count, UTF_8));
        }
    }

    /** Waits until the container's log has the text. */
    static void awaitOutput(BusyboxHost host, String id, String text) throws Exception {
        Path log = host.runtime.container(id).orElseThrow().logPath();
        try (WatchService watch = log.getFileSystem().newWatchService()) {
            log.getParent().register(watch, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
            while (!Files.exists(log) || !Files.readString(log).contains(text)) {
                WatchKey key = watch.poll(BusyboxHost.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(key).as("no \"%s\" in %s", text, log).isNotNull();
                key.pollEvents();
                key.reset();
            }
        }
    }

    private static void awaitFile(Path file) throws Exception {
        try (WatchService watch = file.getFileSystem().newWatchService()) {
            file.getParent().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            while (!Files.exists(file)) {
                WatchKey key = watch.poll(BusyboxHost.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(key).isNotNull();
                key.pollEvents();
                key.reset();
            }
        }
    }
}
