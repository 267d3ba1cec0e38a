package io.argosy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An instance of Argosy in a home of its own, driven by its command as a user drives it. */
final class Argosy implements AutoCloseable {
    private final Path home;
    private final int port = Machine.freePort();
    private final String podCidr;
    private final String serviceCidr;

    /** @param network a number that no other class has: two of them run side by side */
    Argosy(Path home, int network) {
        this(home, "10.250." + network + ".0/24", "10.249." + network + ".0/24");
    }

    /** The same with addresses of both families. */
    static Argosy dualStack(Path home, int network) {
        return new Argosy(
                home,
                "10.250." + network + ".0/24,fd00:10:250:" + network + "::/64",
                "10.249." + network + ".0/24,fd00:10:249:" + network + "::/112");
    }

    private Argosy(Path home, String podCidr, String serviceCidr) {
        this.home = home;
        this.podCidr = podCidr;
        this.serviceCidr = serviceCidr;
    }

    Path home() {
        return home;
    }

    int port() {
        return port;
    }

    String dnsAddress() {
        return serviceCidr.split(",")[0].replace(".0/24", ".10");
    }

    /** The command with these words, on this instance's home. */
    Command command(String... words) {
        return Command.of(Machine.project().resolve("argosy").toString())
                .and(words)
                .and("--home", home.toString());
    }

    /** Makes a small image with a shell and the usual tools. */
    void makeShellImage(String tag) {
        command("image", "make", "-t", tag, "--debian", "busybox-static", "--cmd", "sh")
                .run()
                .ok();
    }

    String up(String... options) {
        return Command.of(upWords()).and(options).run().ok();
    }

    /** The words that start this instance, the program first. */
    String[] upWords() {
        return command("up", "--port", Integer.toString(port))
                .and("--pod-cidr", podCidr, "--service-cidr", serviceCidr, "--node-name", "n1")
                .words();
    }

    /** Ends the process as a power cut would. */
    void kill() {
        long pid = pid();
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();
    }

    long pid() {
        try {
            return Long.parseLong(Files.readString(home.resolve("state/lock")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kubectl kubectl(Path program) {
        return new Kubectl(program, home.resolve("kubeconfig"));
    }

    /** The newest kubectl of the machine. */
    Kubectl kubectl() {
        List<Path> all = Machine.kubectls();
        return kubectl(all.getLast());
    }

    /** Stops it; a Java machine that has crashed on the way says so here, since its report goes with the home. */
    @Override
    public void close() {
        command("down").run();
        try (Stream<Path> logs = Files.list(home.resolve("log"))) {
            Optional<Path> crash = logs.filter(
                            log -> log.getFileName().toString().startsWith("crash-"))
                    .findFirst();
            if (crash.isPresent()) {
                throw new AssertionError(Files.readString(crash.get()));
            }
        } catch (NoSuchFileException neverBegun) {
            // there is nothing to report
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
