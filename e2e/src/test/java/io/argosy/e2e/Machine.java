package io.argosy.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.cluster.home.Home;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What this machine has, and what is on it right now. */
final class Machine {
    private Machine() {}

    static Path project() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(here.resolve("argosy"))) {
            here = here.getParent();
        }
        return here;
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    static boolean has(String program) {
        return Command.of("sh", "-c", "command -v " + program).run().code() == 0;
    }

    /** Skips the test, with a line that says why, where real containers or one of the programs cannot be had. */
    static void assumeContainers(String... programs) {
        assumeTrue(isRoot(), "skipped: real containers need root");
        for (String program : Stream.concat(Stream.of("runc", "conmon", "nft"), Stream.of(programs))
                .toList()) {
            assumeTrue(has(program), "skipped: there is no " + program + " here");
        }
        assumeTrue(!kubectls().isEmpty(), "skipped: there is no kubectl here");
    }

    /** Every kubectl there is: Debian's, and those installed on the machine. */
    static List<Path> kubectls() {
        List<Path> found = new ArrayList<>();
        Path debian = project().resolve("e2e/target/kubectl-debian/usr/bin/kubectl");
        if (Files.isExecutable(debian)) {
            found.add(debian);
        }
        for (Path folder : List.of(Path.of("/usr/lib/google-cloud-sdk/bin"), Path.of("/usr/local/bin"))) {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    files.filter(file -> file.getFileName().toString().matches("kubectl\\.1\\.\\d+"))
                            .sorted()
                            .forEach(found::add);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        if (found.isEmpty() && has("kubectl")) {
            found.add(Path.of(Command.of("sh", "-c", "command -v kubectl").run().ok()));
        }
        return found;
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What the pods of a home leave traces in: processes and mounts below it, its links and packet filter tables. Of links without a place yet
     * nobody can say whose they are.
     */
    static TreeSet<String> traces(Path home) {
        TreeSet<String> traces = new TreeSet<>();
        String place = home.toString();
        String instance = new Home(home).instance();
        for (String line : Command.of("ps", "-eo", "args").run().ok().split("\n")) {
            if (line.contains(place) && (line.contains("conmon") || line.contains("runc"))) {
                traces.add("process " + line);
            }
        }
        for (String line : Command.of("cat", "/proc/self/mounts").run().ok().split("\n")) {
            if (line.contains(" " + place + "/")) {
                traces.add("mount " + line.split(" ")[1]);
            }
        }
        for (String link : Command.of("ip", "-o", "link").run().ok().split("\n")) {
            if (!link.contains(" master ") || link.contains(instance)) {
                traces.add("link " + link.split(": ")[1].split("@")[0]);
            }
        }
        traces.removeIf(trace -> trace.startsWith("link agy-") && !trace.endsWith(instance));
        for (String table : Command.of("nft", "list", "tables").run().ok().split("\n")) {
            if (table.contains(instance)) {
                traces.add(table);
            }
        }
        return traces;
    }
}
