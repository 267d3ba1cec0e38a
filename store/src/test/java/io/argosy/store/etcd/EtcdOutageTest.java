package io.argosy.store.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.argosy.api.time.Clock;
import io.argosy.store.CompactedException;
import io.argosy.store.Event;
import io.argosy.store.ListOptions;
import io.argosy.store.RecordingListener;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens when etcd goes away, and when it comes back. */
class EtcdOutageTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private EtcdServer etcd;

    @BeforeEach
    void startEtcd() throws IOException {
        etcd = EtcdServer.start();
    }

    @AfterEach
    void stopEtcd() throws IOException {
        if (etcd != null) {
            etcd.close();
        }
    }

    private static EtcdStore open(String endpoint) {
        return EtcdStore.open(EtcdConfig.of(endpoint), ValueForm.PLAIN, Clock.system()::pause);
    }

    private static long put(Store store, String key, String value) {
        Result result = store.put(key, value.getBytes(UTF_8), Store.ANY);
        return ((Result.Committed) result).revision();
    }

    /** Writes as soon as the store can. */
    private static long putWhenBack(Store store, String key, String value) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                return put(store, key, value);
            } catch (StoreException away) {
                assertThat(away.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE);
                assertThat(System.nanoTime()).as("etcd is still away").isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void writesAreRefusedWhileItIsAwayAndWatchesGoOnWhenItIsBack() throws Exception {
        try (EtcdStore store = open(etcd.endpoint())) {
            RecordingListener watch = new RecordingListener();
            store.watch("", store.revision(), watch);
            long before = put(store, "/a", "1");
            etcd.kill();
            StoreException refused =
                    catchThrowableOfType(StoreException.class, () -> store.put("/a", "no".getBytes(UTF_8), Store.ANY));
            assertThat(refused.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE);
            assertThat(refused)
                    .hasMessage("etcd at " + etcd.endpoint()
                            + " cannot be reached: nothing can be written until it is back.");
            assertThat(store.away()).isTrue();
            assertThat(catchThrowableOfType(StoreException.class, () -> store.list("", ListOptions.ALL))
                            .reason())
                    .isEqualTo(StoreException.Reason.UNAVAILABLE);
            etcd.resume();
            long after = putWhenBack(store, "/a", "2");
            assertThat(after).isGreaterThan(before);
            List<Event> events = watch.awaitRevision(after);
            assertThat(events.stream().map(Event::revision)).containsExactly(before, after);
            assertThat(watch.closed()).isNotDone();
            assertThat(store.list("", ListOptions.ALL).entries()).hasSize(1);
        }
    }

    @Test
    void whatOthersWroteWhileTheLineWasCutIsToldWhenItIsMended() throws Exception {
        try (CutLine line = new CutLine(etcd.endpoint());
                EtcdStore near = open(etcd.endpoint());
                EtcdStore far = open(line.endpoint())) {
            RecordingListener watch = new RecordingListener();
            far.watch("", far.revision(), watch);
            long first = put(near, "/a", "1");
            watch.awaitRevision(first);
            line.cut();
            for (int i = 0; i < 20; i++) {
                put(near, "/a", "cut" + i);
            }
            line.mend();
            long last = putWhenBack(far, "/b", "1");
            assertThat(watch.awaitRevision(last)).hasSize((int) (last - first + 1));
        }
    }

    @Test
    void whoMissedWhatIsCompactedIsToldSoAndCanBeginAnew() throws Exception {
        try (CutLine line = new CutLine(etcd.endpoint());
                EtcdStore near = open(etcd.endpoint());
                EtcdStore far = open(line.endpoint())) {
            RecordingListener watch = new RecordingListener();
            far.watch("", far.revision(), watch);
            watch.awaitRevision(put(near, "/a", "1"));
            line.cut();
            for (int i = 0; i < 20; i++) {
                put(near, "/a", "cut" + i);
            }
            near.compact(near.revision());
            line.mend();
            Throwable told = watch.closed().handle((nothing, cause) -> cause).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
            assertThat(told).isInstanceOf(CompactedException.class);
            long now = putWhenBack(far, "/b", "1");
            RecordingListener again = new RecordingListener();
            far.watch("", now, again);
            assertThat(again.awaitRevision(put(near, "/b", "2"))).hasSize(1);
        }
    }

    @Test
    void anEtcdThatIsNotThereIsSaidSo() throws IOException {
        etcd.kill();
        StoreException refused = catchThrowableOfType(StoreException.class, () -> open(etcd.endpoint()));
        assertThat(refused)
                .hasMessage(
                        "etcd at " + etcd.endpoint() + " cannot be reached: nothing can be written until it is back.");
    }

    @Test
    void closingWhileItIsAwayEndsEverything() throws ExecutionException, InterruptedException {
        EtcdStore store = open(etcd.endpoint());
        RecordingListener watch = new RecordingListener();
        store.watch("", store.revision(), watch);
        etcd.kill();
        store.close();
        assertThat(watch.closed().get()).isNull();
        assertThat(catchThrowableOfType(StoreException.class, () -> put(store, "/a", "1"))
                        .reason())
                .isEqualTo(StoreException.Reason.CLOSED);
    }
}
