package io.argosy.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store keeps the contract, and what it promises beyond. */
class SqliteStoreTest extends StoreContract {
    @TempDir
    Path folder;

    @Override
    protected Store open() {
        return SqliteStore.open(folder);
    }

    @Test
    void listenersAreCalledFromOneThread() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 3; i++) {
            store.watch(
                    "",
                    start,
                    listener(events -> threads.add(Thread.currentThread().getName())));
        }
        writeAtRandom(new Random(1), 20);
        assertThat(threads).containsExactly("store-dispatch");
    }

    @Test
    void aSlowListenerDelaysAcknowledgementsButLosesNothing() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        store.watch("", start, listener(events -> await(release)));
        RecordingListener other = watch("", start);
        List<CompletableFuture<Result>> writes = IntStream.range(0, 100)
                .mapToObj(i -> store.putAsync(PODS + i, bytes("1"), Store.ABSENT))
                .toList();
        assertThat(writes).noneMatch(CompletableFuture::isDone);
        release.countDown();
        for (CompletableFuture<Result> write : writes) {
            committed(RecordingListener.get(write));
        }
        assertThat(other.events()).hasSize(100);
    }

    @Test
    void aListenerMayReadTheStore() throws Exception {
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        store.watch(
                "",
                start,
                listener(events ->
                        found.complete(store.get(events.getFirst().key()).isPresent())));
        put(PODS + "a", "1");
        assertThat(RecordingListener.get(found)).isTrue();
    }

    @Test
    void compactionGivesSpaceBackAndEmptiesTheWriteAheadLog() throws IOException {
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < 40; i++) {
            store.put(PODS + i % 2, large, Store.ANY);
        }
        long before = sizeOnDisk();
        assertThat(before).isGreaterThan(40L << 20);
        store.compact(store.revision());
        assertThat(sizeOnDisk()).isLessThan(10L << 20);
        assertThat(Files.size(folder.resolve("store.db-wal"))).isZero();
    }

    @Test
    void compactionThatACloseCutShortGoesOnAfterTheNextOpen() throws Exception {
        byte[] value = new byte[16 << 10];
        CompletableFuture<Result> last = null;
        for (int i = 0; i < 4000; i++) {
            last = store.putAsync(PODS + i % 2, value, Store.ANY);
        }
        RecordingListener.get(last);
        long revision = store.revision();
        CompletableFuture<Void> compacting =
                CompletableFuture.runAsync(() -> store.compact(revision), Thread::startVirtualThread);
        while (store.compactedRevision() < revision) {
            Thread.onSpinWait();
        }
        reopen();
        Throwable told = compacting.handle((done, failure) -> failure).get(30, TimeUnit.SECONDS);
        if (told != null) { // else it was quicker than the close
            assertThat(told).hasMessageContaining("closed before compaction was done");
        }
        assertThat(store.compactedRevision()).isEqualTo(revision);
        store.compact(revision); // waits for what is left
        assertThat(sizeOnDisk()).isLessThan(10L << 20);
        assertThat(store.revision()).isEqualTo(revision);
        assertThat(put(PODS + "a", "1")).isEqualTo(revision + 1);
    }

    @Test
    void aCopyTakenWhileWritersGoOnIsAStoreOfItsOwn() throws Exception {
        writeAtRandom(new Random(2), 200);
        Thread writer = Thread.ofVirtual().start(() -> writeAtRandom(new Random(3), 300));
        Path copied = Files.createDirectory(folder.resolve("copied"));
        long revision = ((SqliteStore) store).copyTo(copied.resolve("store.db"));
        writer.join();
        SqliteStore.check(copied.resolve("store.db"));
        try (Store copy = SqliteStore.open(copied)) {
            assertThat(copy.revision()).isEqualTo(revision);
            assertThat(copy.list("", ListOptions.ALL)).isEqualTo(store.list("", ListOptions.ALL.at(revision)));
            assertThat(committed(copy.put(PODS + "next", bytes("1"), Store.ANY)).revision())
                    .isEqualTo(revision + 1);
        }
    }

    @Test
    void aDamagedCopyIsFoundOut() throws Exception {
        for (int i = 0; i < 200; i++) {
            put(PODS + i, "x".repeat(500));
        }
        Path copy = folder.resolve("copy.db");
        ((SqliteStore) store).copyTo(copy);
        byte[] bytes = Files.readAllBytes(copy);
        java.util.Arrays.fill(bytes, 8192, 16384, (byte) 7);
        Files.write(copy, bytes);
        assertThatThrownBy(() -> SqliteStore.check(copy)).hasMessageContaining("is damaged");
    }

    private long sizeOnDisk() throws IOException {
        return Files.size(folder.resolve("store.db")) + Files.size(folder.resolve("store.db-wal"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
