package io.argosy.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.argosy.api.time.Clock;
import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.DeleteOption;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The store on a real etcd keeps the contract, and what it promises beyond. */
class EtcdStoreTest extends StoreContract {
    private static EtcdServer etcd;
    private boolean emptied;

    @BeforeAll
    static void startEtcd() throws IOException {
        etcd = EtcdServer.start();
    }

    @AfterAll
    static void stopEtcd() throws IOException {
        if (etcd != null) {
            etcd.close();
        }
    }

    @Override
    protected Store open() {
        if (!emptied) {
            empty();
            emptied = true;
        }
        return connect();
    }

    private static Store connect() {
        return EtcdStore.open(EtcdConfig.of(etcd.endpoint()), ValueForm.PLAIN, Clock.system()::pause);
    }

    private static void empty() {
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            client.getKVClient()
                    .delete(
                            Entries.ALL,
                            DeleteOption.builder().withRange(Entries.ALL).build())
                    .join();
        }
    }

    @Test
    void severalStoresOnOneEtcdAgree() {
        try (Store other = connect()) {
            RecordingListener here = watch("", start);
            RecordingListener there = new RecordingListener();
            other.watch("", start, there);
            for (int i = 0; i < 50; i++) {
                put(PODS + i % 5, "here" + i);
                long revision = committed(other.put(PODS + i % 5, bytes("there" + i), store.revision()))
                        .revision();
                assertThat(store.revision()).isGreaterThanOrEqualTo(revision);
                assertThat(store.list(PODS, ListOptions.ALL)).isEqualTo(other.list(PODS, ListOptions.ALL.at(revision)));
            }
            long last = store.revision();
            assertThat(here.awaitRevision(last)).isEqualTo(there.awaitRevision(last));
        }
    }

    @Test
    void anotherStoreThatCompactsIsHeardOf() {
        try (Store other = connect()) {
            writeAtRandom(new Random(8), 30);
            other.compact(start + 20);
            StoreException gone =
                    catchThrowableOfType(StoreException.class, () -> store.list("", ListOptions.ALL.at(start + 10)));
            assertThat(gone.reason()).isEqualTo(StoreException.Reason.COMPACTED);
            assertThat(store.compactedRevision()).isEqualTo(start + 20);
            store.compact(start + 15);
            assertThat(store.compactedRevision()).isEqualTo(start + 20);
        }
    }
}
