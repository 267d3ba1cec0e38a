package io.argosy.store.sqlite;

import io.argosy.store.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Prints how many durable writes of 1 KiB a second the embedded store takes. Run by hand, never by the build. */
final class WriteBenchmark {
    private WriteBenchmark() {}

    /** Argument: a folder on the disk to measure, which must not exist yet. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        long begin = System.nanoTime();
        try (Store store = SqliteStore.open(folder.resolve("store"))) {
            System.out.printf("open: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
            for (int round = 0; round < 3; round++) {
                for (int submitters : new int[] {1, 32}) {
                    measure(store, submitters, submitters == 1 ? 10_000 : 60_000, "create-" + round + "-" + submitters);
                }
                measure(store, 32, 60_000, "create-" + round + "-32");
            }
            begin = System.nanoTime();
            store.compact(store.revision());
            System.out.printf("compact: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
        }
    }

    private static void measure(Store store, int submitters, int writes, String name) throws InterruptedException {
        byte[] value = new byte[1024];
        new Random(1).nextBytes(value);
        long[] nanos = new long[writes];
        List<Thread> threads = new ArrayList<>();
        long begin = System.nanoTime();
        for (int s = 0; s < submitters; s++) {
            int first = s;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = first; i < writes; i += submitters) {
                    long asked = System.nanoTime();
                    store.put("/registry/configmaps/" + name + "/" + i, value, Store.ANY);
                    nanos[i] = System.nanoTime() - asked;
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        Arrays.sort(nanos);
        System.out.printf(
                "%2d submitters: %,7.0f writes/s, p50 %.2f ms, p99 %.2f ms (%s)%n",
                submitters, writes / seconds, nanos[writes / 2] / 1e6, nanos[writes * 99 / 100] / 1e6, name);
    }
}
