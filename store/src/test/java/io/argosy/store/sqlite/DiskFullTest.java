package io.argosy.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk refuses writes and nothing else; with room again the store goes on as it was. */
class DiskFullTest {
    @TempDir
    Path mount;

    private boolean mounted;

    @BeforeEach
    void mountSmallDisk() throws Exception {
        mounted = run("mount", "-t", "tmpfs", "-o", "size=8m", "argosy-store-test", mount.toString());
        assumeTrue(mounted, "skipped: a small disk can only be mounted by root");
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            // lazily: SQLite's library may have been loaded from there
            assertThat(run("umount", "--lazy", mount.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return false; // no such program here
        }
        process.getInputStream().readAllBytes();
        return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Test
    void writesAreRefusedUntilThereIsRoomAndNothingIsLost() throws Exception {
        Path folder = mount.resolve("store");
        Path ballast = mount.resolve("ballast");
        List<String> acknowledged = new ArrayList<>();
        RecordingListener watch = new RecordingListener();
        try (Store store = SqliteStore.open(folder)) {
            Files.write(ballast, new byte[2 << 20]);
            long start = store.revision();
            store.watch("", start, watch);
            StoreException refused = null;
            while (refused == null) {
                refused = tryPut(store, acknowledged);
            }
            assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE);
            assertThat(refused).hasMessageContaining("is full: writes are refused until there is room");
            assertThat(tryPut(store, acknowledged)).isNotNull();
            assertIntact(store, acknowledged);
            assertThat(store.revision()).isEqualTo(start + acknowledged.size());

            Files.delete(ballast);
            for (int i = 0; i < 20; i++) {
                assertThat(tryPut(store, acknowledged)).isNull();
            }
            assertIntact(store, acknowledged);
            assertThat(watch.events()).hasSize(acknowledged.size());
            assertThat(store.revision()).isEqualTo(start + acknowledged.size());
        }
        try (Store store = SqliteStore.open(folder)) {
            assertIntact(store, acknowledged);
        }
    }

    private static StoreException tryPut(Store store, List<String> acknowledged) {
        String key = "/registry/pods/%05d".formatted(acknowledged.size());
        StoreException refused =
                catchThrowableOfType(StoreException.class, () -> store.put(key, new byte[20_000], Store.ABSENT));
        if (refused == null) {
            acknowledged.add(key);
        }
        return refused;
    }

    private static void assertIntact(Store store, List<String> acknowledged) {
        assertThat(store.list("", ListOptions.ALL).entries().stream().map(Entry::key))
                .containsExactlyElementsOf(acknowledged);
    }
}
