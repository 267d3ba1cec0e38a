package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The runc program over this instance's own state folder. */
final class Runc {
    private static final Pattern MESSAGE = Pattern.compile("msg=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern VERSION = Pattern.compile("runc version (\\S+)");

    private final OciConfig config;

    Runc(OciConfig config) {
        this.config = config;
    }

    String version() {
        Matcher matcher = VERSION.matcher(
                Commands.run(List.of(config.runc().toString(), "--version")).stdout());
        return matcher.find() ? matcher.group(1) : "unknown";
    }

    List<String> command(String... arguments) {
        List<String> line = new ArrayList<>(
                List.of(config.runc().toString(), "--root", config.runcRoot().toString()));
        line.addAll(List.of(arguments));
        return line;
    }

    void start(String id) {
        require("start container", Commands.run(command("start", id)));
    }

    /** Makes and starts a container that nothing watches. */
    void runUnwatched(String id, Path bundle, Path pidFile) {
        Path nothing = Path.of("/dev/null");
        ProcessBuilder builder = new ProcessBuilder(
                        command("run", "--detach", "--bundle", bundle.toString(), "--pid-file", pidFile.toString(), id))
                .redirectInput(nothing.toFile())
                .redirectOutput(nothing.toFile())
                .redirectError(bundle.resolve("errors").toFile());
        try {
            int exit = builder.start().waitFor();
            if (exit != 0) {
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.FAILED,
                        "cannot start the pod's first process: " + plain(Files.readString(bundle.resolve("errors"))));
            }
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "cannot run runc", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "interrupted while starting a pod", e);
        }
    }

    /** Forgets the container, killing what is left of it; one that runc does not know is no error. */
    void delete(String id) {
        if (known(id)) {
            Commands.Outcome outcome = Commands.run(command("delete", "--force", id));
            if (!outcome.ok() && known(id)) {
                require("delete container", outcome);
            }
        }
    }

    boolean known(String id) {
        return Files.exists(stateFolder(id));
    }

    /** Before its start a container waits at this pipe, which runc removes when it lets it go. */
    boolean waitsForStart(String id) {
        return Files.exists(stateFolder(id).resolve("exec.fifo"));
    }

    Path stateFolder(String id) {
        return config.runcRoot().resolve(id);
    }

    void update(String id, JsonNode resources) {
        require(
                "update container",
                Commands.run(command("update", "--resources", "-", id), resources.toString(), Map.of()));
    }

    /** The process of a new command in a container: the container's own, but for what is run and on what terminal. */
    static ObjectNode execProcess(Path bundle, List<String> command, boolean tty) throws IOException {
        if (!(Json.read(bundle.resolve("config.json")).get("process") instanceof ObjectNode process)) {
            throw new IOException("no process in " + bundle);
        }
        process.set("args", Json.array(command));
        process.put("terminal", tty);
        if (tty && Json.strings(process.path("env")).stream().noneMatch(line -> line.startsWith("TERM="))) {
            process.withArray("env").add("TERM=xterm");
        }
        return process;
    }

    private static void require(String what, Commands.Outcome outcome) {
        if (!outcome.ok()) {
            throw failure("cannot " + what, outcome.complaint());
        }
    }

    /** A failure in runc's words, without its log's trimmings; what the pod's author can mend is INVALID. */
    static RuntimeFailure failure(String what, String complaint) {
        String words = plain(complaint);
        boolean mendable = words.contains("unable to start container process")
                || words.contains("executable file not found")
                || words.contains("no such file or directory");
        return new RuntimeFailure(
                mendable ? RuntimeFailure.Kind.INVALID : RuntimeFailure.Kind.FAILED, what + ": " + words);
    }

    static String plain(String complaint) {
        String last = complaint.strip();
        Matcher matcher = MESSAGE.matcher(last);
        while (matcher.find()) {
            last = matcher.group(1);
        }
        return last.replace("\\\"", "\"").replace("\\\\", "\\");
    }
}
