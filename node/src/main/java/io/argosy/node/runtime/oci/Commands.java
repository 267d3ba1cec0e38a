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
        AtomicReference<String> stdout = new AtomicReference<>("");
        AtomicReference<String> stderr = new AtomicReference<>("");
        Thread output = Thread.ofVirtual().start(() -> stdout.set(drain(process.getInputStream())));
        Thread errors = Thread.ofVirtual().start(() -> stderr.set(drain(process.getErrorStream())));
        try (OutputStream out = process.getOutputStream()) {
            out.write(stdin.getBytes(StandardCharsets.UTF_8));
        } catch (IOException _) {
            // It ended without reading all of it; its exit code and words tell more than this does.
        }
        if (!finished(process, output, errors)) {
            process.destroyForcibly();
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.TIMEOUT, command.getFirst() + " did not end within " + PATIENCE);
        }
        return new Outcome(process.exitValue(), stdout.get(), stderr.get());
    }

    /** Not to be interrupted: a program cut off half-way leaves more to clean up than one that ends soon. */
    private static boolean finished(Process process, Thread output, Thread errors) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!process.waitFor(PATIENCE)) {
                        return false;
                    }
                    output.join();
                    errors.join();
                    return true;
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
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
