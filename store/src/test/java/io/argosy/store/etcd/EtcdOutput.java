package io.argosy.store.etcd;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What etcd writes while it runs: read to its end, so that it never has to wait, and the line that says it serves is listened for. */
final class EtcdOutput {
    private static final String SERVING = "serving client traffic";

    private EtcdOutput() {}

    /** Returns when etcd serves; throws what it wrote when it ends before. */
    static void awaitReady(Process etcd) throws IOException {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Thread.ofVirtual().name("etcd output").start(() -> read(etcd, ready));
        try {
            ready.join();
        } catch (CompletionException ended) {
            throw new IOException(ended.getCause().getMessage(), ended);
        }
    }

    private static void read(Process etcd, CompletableFuture<Void> ready) {
        List<String> before = new ArrayList<>();
        try (BufferedReader lines = etcd.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(SERVING)) {
                    ready.complete(null);
                } else if (!ready.isDone()) {
                    before.add(line);
                }
            }
            ready.completeExceptionally(new IOException("etcd ended: " + String.join("\n", before)));
        } catch (IOException cut) {
            ready.completeExceptionally(cut);
        }
    }
}
