package io.argosy.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Runs one of the system's own programs and tells in one sentence why it failed. */
final class Tool {
    private Tool() {}

    /** What reads a program's output while it runs. */
    interface Reader<T> {
        T read(InputStream output) throws IOException;
    }

    /** The program's output as text. */
    static String run(Duration limit, List<String> command) {
        return run(limit, command, out -> new String(out.readAllBytes(), StandardCharsets.UTF_8));
    }

    static <T> T run(Duration limit, List<String> command, Reader<T> reader) {
        Process process = start(command);
        Thread guard = Thread.ofVirtual().name("tool-guard").start(() -> endAfter(process, limit));
        try {
            CompletableFuture<String> complaints = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> complaints.complete(complaint(process)));
            T result = reader.read(process.getInputStream());
            int code = process.waitFor();
            if (code != 0) {
                throw failed(command, code, complaints.get());
            }
            return result;
        } catch (IOException e) {
            throw new ImageException(ImageException.Kind.STORAGE, command.getFirst() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw SingleFlight.Interrupted.now(e);
        } catch (ExecutionException e) {
            throw SingleFlight.rethrow(e.getCause());
        } finally {
            process.destroyForcibly();
            guard.interrupt();
        }
    }

    private static Process start(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.redirectInput(Path.of("/dev/null").toFile());
        try {
            return builder.start();
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.UNSUPPORTED,
                    "making images from Debian packages needs the program " + command.getFirst()
                            + ", which cannot be started here: " + e.getMessage(),
                    e);
        }
    }

    private static void endAfter(Process process, Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String complaint(Process process) {
        try (InputStream errors = process.getErrorStream()) {
            return new String(errors.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("W:"))
                    .map(line -> line.startsWith("E: ") ? line.substring(3) : line)
                    .limit(5)
                    .collect(Collectors.joining("; "));
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static ImageException failed(List<String> command, int code, String complaint) {
        boolean unknown = complaint.contains("Unable to locate package")
                || complaint.contains("has no installation candidate")
                || complaint.contains("not found");
        return new ImageException(
                unknown ? ImageException.Kind.NOT_FOUND : ImageException.Kind.UNAVAILABLE,
                command.getFirst() + " failed: " + (complaint.isEmpty() ? "exit code " + code : complaint));
    }
}
