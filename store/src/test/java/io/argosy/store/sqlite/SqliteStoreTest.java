package io.argosy.store.sqlite;

import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store keeps the contract. */
class SqliteStoreTest extends StoreContract {
    @TempDir
    Path folder;

    @Override
    protected Store open() {
        return SqliteStore.open(folder);
    }
}
