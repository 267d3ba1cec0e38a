package io.argosy.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.store.ListOptions;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store stays as small as what is in it, however long it is written to. */
class CompactionTest {
    private static final int KEYS = 200;
    private static final int VALUE = 2048;
    private static final int WRITES_AN_HOUR = 1200;
    private static final int HOURS = 7 * 24;

    /** What is live, twice the history that is kept, and the pages left free for the next writes. */
    private static final long BOUND = 24L << 20;

    @TempDir
    Path folder;

    @Test
    void aWeekOfSteadyWritesLeavesTheFilesSmall() throws Exception {
        VirtualClock clock = new VirtualClock(Instant.parse("2026-11-01T00:00:00Z"));
        byte[] value = new byte[VALUE];
        try (Store store = SqliteStore.open(folder);
                AutoCloseable compaction = Compaction.start(store, clock)) {
            int written = 0;
            for (int hour = 0; hour < HOURS; hour++) {
                CompletableFuture<Result> last = null;
                for (int i = 0; i < WRITES_AN_HOUR; i++) {
                    last = store.putAsync("/registry/configmaps/default/m" + written++ % KEYS, value, Store.ANY);
                }
                last.join();
                clock.advance(Duration.ofHours(1));
                assertThat(size("store.db") + size("store.db-wal"))
                        .as("bytes on disk after %s hours and %s writes of %s bytes", hour + 1, written, VALUE)
                        .isLessThan(BOUND);
            }
            assertThat(size("store.db-wal")).as("the write-ahead file").isLessThan(4L << 20);
            assertThat(store.compactedRevision()).isGreaterThan(store.revision() - 3 * WRITES_AN_HOUR);
            assertThat(store.list("/registry/", ListOptions.ALL).entries()).hasSize(KEYS);
            assertThat((long) written * VALUE).as("bytes written").isGreaterThan(10 * BOUND);
        }
    }

    private long size(String file) throws IOException {
        Path path = folder.resolve(file);
        return Files.exists(path) ? Files.size(path) : 0;
    }
}
