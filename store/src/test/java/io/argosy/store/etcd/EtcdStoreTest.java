package io.argosy.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.argosy.api.time.Clock;
import io.argosy.store.Event;
import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreContract;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    void aKeyThatIsNotWrittenAgainInTimeGoesAwayByItself() {
        RecordingListener told = watch("", start);
        store.putFor(Duration.ofSeconds(1), PODS + "mortal", bytes("1"), Store.ABSENT);
        store.putFor(Duration.ofSeconds(1), PODS + "kept", bytes("1"), Store.ANY);
        put(PODS + "kept", "2"); // without an end
        long written = store.revision();
        Event last = told.awaitRevision(written + 1).getLast();
        assertThat(last.type()).isEqualTo(Event.Type.DELETE);
        assertThat(last.key()).isEqualTo(PODS + "mortal");
        assertThat(store.get(PODS + "mortal")).isEmpty();
        assertThat(store.get(PODS + "kept")).isPresent();
    }

    @Test
    void keysOfOneLifeThatAreWrittenTogetherShareALease() throws Exception {
        Duration hour = Duration.ofHours(1);
        for (int i = 0; i < 5; i++) {
            store.putFor(hour, PODS + "event" + i, bytes("1"), Store.ABSENT);
        }
        assertThat(store.putFor(hour, PODS + "event0", bytes("2"), Store.ABSENT))
                .isInstanceOf(Result.Conflict.class);
        store.putFor(Duration.ofMinutes(10), PODS + "other", bytes("1"), Store.ANY);
        put(PODS + "pod", "1");
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            ByteSequence all = ByteSequence.from(PODS, StandardCharsets.UTF_8);
            Map<Long, List<String>> byLease = new HashMap<>();
            client.getKVClient()
                    .get(all, GetOption.builder().isPrefix(true).build())
                    .get()
                    .getKvs()
                    .forEach(pair -> byLease.computeIfAbsent(pair.getLease(), lease -> new ArrayList<>())
                            .add(pair.getKey().toString(StandardCharsets.UTF_8).substring(PODS.length())));
            assertThat(byLease.get(0L)).containsExactly("pod");
            assertThat(byLease.values())
                    .containsExactlyInAnyOrder(
                            List.of("pod"),
                            List.of("other"),
                            List.of("event0", "event1", "event2", "event3", "event4"));
            long lease = byLease.keySet().stream()
                    .filter(id -> byLease.get(id).contains("event0"))
                    .findFirst()
                    .orElseThrow();
            assertThat(client.getLeaseClient()
                            .timeToLive(lease, LeaseOption.DEFAULT)
                            .get()
                            .getTTL())
                    .isBetween(hour.toSeconds(), hour.toSeconds() + 60);
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
