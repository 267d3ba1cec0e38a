package io.argosy.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.Result;
import io.argosy.store.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** Another process that writes to a store and says which writes were acknowledged, until it is killed. */
final class ChildWriter implements AutoCloseable {
    private static final int WRITERS = 8;

    private final Process process;
    private final ConcurrentSkipListMap<Long, String> acknowledged = new ConcurrentSkipListMap<>();
    private final CompletableFuture<Void> reading;

    private ChildWriter(Process process) {
        this.process = process;
        this.reading = CompletableFuture.runAsync(this::read, Thread::startVirtualThread);
    }

    static ChildWriter start(Path folder) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ChildWriter.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new ChildWriter(process);
    }

    long pid() {
        return process.pid();
    }

    /** Acknowledged writes: revision to "key value". */
    ConcurrentSkipListMap<Long, String> acknowledged() {
        return acknowledged;
    }

    synchronized void awaitAcknowledged(int writes) throws InterruptedException {
        while (acknowledged.size() < writes) {
            assertThat(process.isAlive()).as("it still writes").isTrue();
            wait(1000);
        }
    }

    private synchronized void acknowledge(long revision, String write) {
        acknowledged.put(revision, write);
        notifyAll();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split(" ", 2);
                if (line.endsWith(".")) { // else the kill cut it short
                    acknowledge(Long.parseLong(parts[0]), parts[1].substring(0, parts[1].length() - 1));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Kills it with SIGKILL and reads what it had said. */
    @Override
    public void close() {
        process.toHandle().destroyForcibly(); // by its handle: Process would also throw away what was not read yet
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        reading.join();
    }

    /** The child: a folder as argument. */
    public static void main(String[] args) throws InterruptedException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Store store = SqliteStore.open(Path.of(args[0]))) {
            Thread[] threads = new Thread[WRITERS];
            for (int t = 0; t < WRITERS; t++) {
                Random random = new Random();
                threads[t] = Thread.ofPlatform().start(() -> {
                    while (true) {
                        String key = "/registry/pods/" + random.nextInt(300);
                        boolean delete = random.nextInt(5) == 0;
                        String value = delete ? "" : "v".repeat(random.nextInt(2000)) + random.nextLong();
                        Result result = delete
                                ? store.delete(key, Store.ANY)
                                : store.put(key, value.getBytes(StandardCharsets.UTF_8), Store.ANY);
                        if (result instanceof Result.Committed(long revision, var previous)) {
                            out.println(revision + " " + key + " " + value + ".");
                        }
                    }
                });
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
