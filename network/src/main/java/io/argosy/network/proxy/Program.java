package io.argosy.network.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of the machine that is given a text and says something; one that hangs is ended, so that it does not stop us for good. */
final class Program {
    private final List<String> command;
    private final Duration limit;

    Program(List<String> command, Duration limit) {
        this.command = List.copyOf(command);
        this.limit = limit;
    }

    /** How it ended and what it said, errors included. */
    record Result(int status, String said) {}

    Result run(String input, List<String> words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(command);
        line.addAll(words);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        var end = process.onExit().orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
        end.whenComplete((ended, late) -> {
            if (late != null) {
                kill(process);
            }
        });
        try {
            IOException broken = null;
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) { // it did not read all; what it said tells why
                broken = e;
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (end.isCompletedExceptionally()) {
                throw new IOException(line.getFirst() + " did not end within " + limit.toSeconds() + " s");
            }
            if (status == 0 && broken != null) {
                throw broken;
            }
            return new Result(status, said);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
