package io.argosy.cluster.wire;

import io.argosy.api.time.Clock;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.server.storage.KubernetesForm;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
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

    /** Values that are to be encrypted there are, and the keys for that are made if there are none yet. */
    public static Store open(Home home, EtcdConfig etcd, Encryption encryption, Clock clock) {
        Store store = etcd == null
                ? SqliteStore.open(home.state(), encryption.over(ValueForm.PLAIN))
                : Etcd.open(etcd, encryption, clock);
        try {
            encryption.ensureKey(store);
            return store;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
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
        static Store open(EtcdConfig etcd, Encryption encryption, Clock clock) throws StoreException {
            return EtcdStore.open(etcd, encryption.over(new KubernetesForm()), clock::pause);
        }

        static boolean away(Store store) {
            return ((EtcdStore) store).away();
        }
    }
}
