package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.node.runtime.ContainerSpec.Io;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * conmon, the small process beside every container that is its parent, writes its log and keeps its exit code, so that
 * neither depends on Argosy being alive.
 */
final class Conmon {
    /**
     * Passes conmon the pipe over which it reports the new container's pid as descriptor 3, which Java cannot, and
     * ends as soon as the report is in.
     */
    private static final String LAUNCH =
            "exec 4>&1; \"$@\" 3>&1 >/dev/null 4>&- | { IFS= read -r line; printf '%s\\n' \"$line\" >&4; }";

    /**
     * Where a log begins anew though nobody has rotated it, so that a flood between two looks, or while Argosy is not there to look,
     * does not fill the disk. What stood there before is lost.
     */
    static final long MOST_LOG = 50L << 20;

    private static final int REOPEN_LOG = 2;
    private static final int READ_AT_ONCE = 199;

    private final OciConfig config;
    private final Runc runc;

    Conmon(OciConfig config, Runc runc) {
        this.config = config;
        this.runc = runc;
    }

    /**
     * Creates the container of a bundle and returns the pid of its first process, which waits to be started. What became of it is left in
     * the folder to keep.
     */
    long create(ContainerRecord container, Path bundle, Path kept) throws IOException {
        String id = container.id();
        Io io = container.io();
        List<String> line = new ArrayList<>(
                List.of("/bin/sh", "-c", LAUNCH, "sh", config.conmon().toString()));
        line.addAll(List.of(
                "--cid",
                id,
                "--cuuid",
                id,
                "--name",
                container.name(),
                "--runtime",
                config.runc().toString()));
        line.addAll(List.of("--runtime-arg", "--root=" + config.runcRoot(), "--bundle", bundle.toString()));
        line.addAll(List.of("--container-pidfile", bundle.resolve("pid").toString()));
        line.addAll(List.of("--conmon-pidfile", bundle.resolve("conmon.pid").toString()));
        line.addAll(List.of(
                "--persist-dir", kept.toString(), "--exit-dir", config.exits().toString()));
        line.addAll(List.of("--log-path", "k8s-file:" + container.logPath(), "--log-level", "error", "--full-attach"));
        line.addAll(List.of("--no-sync-log", "--log-size-max", Long.toString(MOST_LOG)));
        if (io.tty()) {
            line.add("--terminal");
        }
        if (io.stdin()) {
            line.add("--stdin");
            if (!io.stdinOnce()) {
                line.add("--leave-stdin-open");
            }
        }
        Commands.Outcome outcome = Commands.run(line, "", Map.of("_OCI_SYNCPIPE", "3"));
        JsonNode report = outcome.stdout().isBlank() ? Json.object() : Json.parse(outcome.stdout());
        long pid = report.path("pid").asLong(-1);
        if (pid > 0) {
            return pid;
        }
        String message = report.path("message").asText();
        throw Runc.failure("failed to create container", message.isBlank() ? outcome.complaint() : message);
    }

    Optional<Long> pid(Path bundle) throws IOException {
        Path file = bundle.resolve("conmon.pid");
        return Files.exists(file)
                ? Optional.of(Long.parseLong(Files.readString(file).strip()))
                : Optional.empty();
    }

    void resize(Path bundle, int columns, int rows) {
        tell(bundle.resolve("winsz"), rows + " " + columns);
    }

    void reopenLog(Path bundle) {
        tell(bundle.resolve("ctl"), REOPEN_LOG + " 0 0");
    }

    /** As long as what conmon reads at once: of two that it reads together it takes the first twice. */
    private static void tell(Path pipe, String message) {
        String line = message + " ".repeat(READ_AT_ONCE - 1 - message.length()) + "\n";
        try {
            Files.writeString(pipe, line, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "the container's monitor does not listen", e);
        }
    }

    Runc runc() {
        return runc;
    }
}
