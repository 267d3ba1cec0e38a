package io.argosy.bench.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that somebody else wrote, in a process of its own that writes what it says to a file. */
final class Program implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 20;
    private static final int LAST_WORDS = 5;

    private final String name;
    private final Path log;
    private final Process process;
    private final long started = System.nanoTime();

    private Program(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /** Starts it in this folder, with what it says in a file there. */
    static Program start(String name, Path folder, List<String> words) throws IOException {
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("ETCD_")); // they would be options
        return new Program(name, log, builder.start());
    }

    Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    Memory memory() throws IOException {
        return Memory.of(process.pid());
    }

    void awaitPort(int port) throws IOException, InterruptedException {
        while (!Ports.isServed(port)) {
            pause("nobody listens on port " + port);
        }
    }

    /** Lets it get on with starting, unless it has ended or has had its time. */
    void pause(String why) throws IOException, InterruptedException {
        if (System.nanoTime() - started > START_LIMIT.toNanos()) {
            throw new IOException(name + " was not ready in " + START_LIMIT.toSeconds() + " s: " + why);
        }
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IOException(name + " ended with code " + process.exitValue() + "; it said: " + lastWords());
        }
    }

    private String lastWords() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("; ", lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size()));
    }

    /** Ends it, politely at first. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().onExit().join();
            }
        } catch (InterruptedException hurry) {
            process.destroyForcibly().onExit().join();
            Thread.currentThread().interrupt();
        }
    }
}
