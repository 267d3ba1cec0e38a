package io.argosy.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.Event;
import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import io.argosy.store.WatchListener;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The store in memory keeps the contract, and tells watches before writers. */
class MemoryStoreTest extends StoreContract {
    private final MemoryLog log = new MemoryLog();

    @Override
    protected Store open() {
        return MemoryStore.open(log);
    }

    @Test
    void watchesKnowOfAWriteBeforeItsWriterDoes() {
        Set<Long> seen = new HashSet<>();
        store.watch("", start, new WatchListener() {
            @Override
            public void onEvents(List<Event> events) {
                events.forEach(event -> seen.add(event.revision()));
            }

            @Override
            public void onClosed(Throwable cause) {}
        });
        for (int i = 0; i < 10; i++) {
            assertThat(seen).doesNotContain(store.revision() + 1);
            assertThat(seen).contains(put(PODS + "a", "" + i));
        }
    }

    @Test
    void compactionLeavesNothingOfKeysThatAreGone() {
        writeAtRandom(new Random(8), 500);
        store.list("", io.argosy.store.ListOptions.ALL).entries().forEach(entry -> delete(entry.key()));
        store.compact(store.revision());
        assertThat(store.list("", io.argosy.store.ListOptions.ALL).entries()).isEmpty();
        assertThat(log.keys()).isZero();
    }
}
