package io.argosy.cluster.wire;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.Home;
import io.argosy.server.storage.KubernetesForm;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdStore;
import io.argosy.store.sqlite.FolderLock;
import io.argosy.store.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

/** Opens the store that a cluster keeps its state in. Nothing of etcd's client is loaded where the state is in the home. */
public final class Stores {
    private Stores() {}

    public static Store open(Home home, EtcdConfig etcd, Clock clock) {
        return etcd == null ? SqliteStore.open(home.state()) : Etcd.open(etcd, clock);
    }

    /** Keeps the home for this process where the database does not do it; its file says which process that is. */
    public static AutoCloseable lock(Home home) throws IOException {
        Files.createDirectories(
                home.state(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return FolderLock.take(home.state());
    }

    /** Whether the store can be reached. */
    public static boolean reachable(Store store) {
        return !store.shared() || !Etcd.away(store);
    }

    /** Apart, so that looking at the outer class does not load jetcd. */
    private static final class Etcd {
        static Store open(EtcdConfig etcd, Clock clock) throws StoreException {
            return EtcdStore.open(etcd, new KubernetesForm(), clock::pause);
        }

        static boolean away(Store store) {
            return ((EtcdStore) store).away();
        }
    }
}
