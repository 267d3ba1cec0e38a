package io.argosy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program run to its end, as a user would run it, with everything it said. */
final class Command {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final List<String> words;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String input = "";

    private Command(List<String> words) {
        this.words = words;
    }

    static Command of(String... words) {
        return new Command(new ArrayList<>(List.of(words)));
    }

    Command and(String... more) {
        words.addAll(List.of(more));
        return this;
    }

    String[] words() {
        return words.toArray(String[]::new);
    }

    Command with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Command input(String text) {
        input = text;
        return this;
    }

    /** What a program said and how it ended. */
    record Outcome(String command, int code, String out, String err) {
        /** The output of a program that must succeed. */
        String ok() {
            if (code != 0) {
                throw new AssertionError(command + "\nexit code " + code + "\n" + out + "\n" + err);
            }
            return out.strip();
        }

        String all() {
            return out + err;
        }
    }

    Outcome run() {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            CompletableFuture<String> err = reading(process, false);
            CompletableFuture<String> out = reading(process, true);
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException notRead) {
                // a program that does not want its input has closed it
            }
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("did not end in " + LIMIT + ": " + this);
            }
            return new Outcome(toString(), process.exitValue(), out.join(), err.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts the program and leaves it running. */
    Process start(Path log) {
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On a thread of its own: the common pool may have but one, and both streams must be read at once. */
    private static CompletableFuture<String> reading(Process process, boolean out) {
        return CompletableFuture.supplyAsync(() -> read(process, out), Thread::startVirtualThread);
    }

    private static String read(Process process, boolean out) {
        try {
            var stream = out ? process.getInputStream() : process.getErrorStream();
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return String.join(" ", words);
    }
}
