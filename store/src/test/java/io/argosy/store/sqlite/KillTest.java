package io.argosy.store.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process killed at any moment loses no write that was acknowledged, and leaves no hole in the history. */
class KillTest {
    private static final int KILLS = 5;

    @TempDir
    Path folder;

    private final TreeMap<Long, String> acknowledged = new TreeMap<>();

    @Test
    void everyAcknowledgedWriteSurvivesBeingKilled() throws Exception {
        Random random = new Random();
        long compacted = 1;
        for (int kill = 0; kill < KILLS; kill++) {
            ChildWriter child = ChildWriter.start(folder);
            try (child) {
                child.awaitAcknowledged(random.nextInt(1500));
            }
            acknowledged.putAll(child.acknowledged());
            try (Store store = SqliteStore.open(folder)) {
                check(store, compacted);
                if (kill % 2 == 1) {
                    compacted = store.revision() - 100;
                    store.compact(compacted);
                    check(store, compacted);
                }
            }
        }
        assertThat(acknowledged).isNotEmpty();
    }

    private void check(Store store, long compacted) {
        long last = store.revision();
        assertThat(store.compactedRevision()).isEqualTo(compacted);
        if (!acknowledged.isEmpty()) {
            assertThat(last).isGreaterThanOrEqualTo(acknowledged.lastKey());
        }
        if (last == compacted) {
            return;
        }
        RecordingListener all = new RecordingListener();
        store.watch("", compacted, all).close();
        List<Event> history = all.events();
        assertThat(history).hasSize((int) (last - compacted));
        for (int i = 0; i < history.size(); i++) {
            assertThat(history.get(i).revision()).isEqualTo(compacted + 1 + i);
        }
        for (Map.Entry<Long, String> write :
                acknowledged.tailMap(compacted, false).entrySet()) {
            assertThat(text(history.get((int) (write.getKey() - compacted - 1))))
                    .isEqualTo(write.getValue());
        }
        long middle = compacted + (last - compacted) / 2;
        RecordingListener half = new RecordingListener();
        store.watch("", middle, half).close();
        assertThat(half.events()).isEqualTo(history.subList((int) (middle - compacted), history.size()));

        TreeMap<String, Entry> state = new TreeMap<>();
        store.list("", ListOptions.ALL.at(compacted)).entries().forEach(entry -> state.put(entry.key(), entry));
        for (Event event : history) {
            Entry before =
                    event.current() == null ? state.remove(event.key()) : state.put(event.key(), event.current());
            assertThat(before).isEqualTo(event.previous());
        }
        assertThat(store.list("", ListOptions.ALL).entries()).containsExactlyElementsOf(state.values());
    }

    private static String text(Event event) {
        return event.key() + " "
                + (event.current() == null ? "" : new String(event.current().value(), UTF_8));
    }
}
