package io.argosy.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The store in memory keeps the contract, and forgets what is gone. */
class MemoryStoreTest extends StoreContract {
    private final MemoryLog log = new MemoryLog();

    @Override
    protected Store open() {
        return MemoryStore.open(log);
    }

    @Test
    void compactionLeavesNothingOfKeysThatAreGone() {
        writeAtRandom(new Random(8), 500);
        store.list("", ListOptions.ALL).entries().forEach(entry -> delete(entry.key()));
        store.compact(store.revision());
        assertThat(store.list("", ListOptions.ALL).entries()).isEmpty();
        assertThat(log.keys()).isZero();
    }
}
