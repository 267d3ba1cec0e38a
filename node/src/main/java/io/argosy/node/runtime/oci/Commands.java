package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Runs a program of the host to its end and collects what it says. */
final class Commands {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Commands() {}

    /** What came of a program. */
    record Outcome(int exitCode, String stdout, String stderr) {
        boolean ok() {
            return exitCode == 0;
        }

        /** The most telling of its words. */
        String complaint() {
            String words = stderr.isBlank() ? stdout : stderr;
            return words.isBlank() ? "exit code " + exitCode : words.strip();
        }
    }

    static Outcome run(List<String> command) {
        return run(command, "", Map.of());
    }

    static Outcome run(List<String> command, String stdin, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.FAILED, "cannot run " + command.getFirst() + ": " + e.getMessage(), e);
        }
        try {
            AtomicReference<String> stderr = new AtomicReference<>("");
            Thread errors = Thread.ofVirtual().start(() -> stderr.set(drain(process.getErrorStream())));
            try (OutputStream out = process.getOutputStream()) {
                out.write(stdin.getBytes(StandardCharsets.UTF_8));
            } catch (IOException _) {
                // It ended without reading all of it; its exit code and words tell more than this does.
            }
            AtomicReference<String> stdout = new AtomicReference<>("");
            Thread output = Thread.ofVirtual().start(() -> stdout.set(drain(process.getInputStream())));
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.TIMEOUT, command.getFirst() + " did not end within " + PATIENCE);
            }
            output.join();
            errors.join();
            return new Outcome(process.exitValue(), stdout.get(), stderr.get());
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, command.getFirst() + " was interrupted", e);
        }
    }

    private static String drain(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
