package io.argosy.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.argosy.store.Result.Committed;
import io.argosy.store.Result.Conflict;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What every store must do: a store's test extends this and says how to open one. All revisions are taken relative to
 * where the store stands, so that it may already have a past.
 */
public abstract class StoreContract extends StoreFixture {
    // --- reading and writing ---

    @Test
    void anEmptyStoreHasARevisionButNoEntries() {
        assertThat(store.revision()).isPositive();
        assertThat(store.get(PODS + "a")).isEmpty();
        Page page = store.list("", ListOptions.ALL);
        assertThat(page.entries()).isEmpty();
        assertThat(page.revision()).isEqualTo(start);
        assertThat(page.more()).isFalse();
    }

    @Test
    void everyWriteTakesTheNextRevision() {
        assertThat(put(PODS + "a", "1")).isEqualTo(start + 1);
        assertThat(put(PODS + "b", "1")).isEqualTo(start + 2);
        assertThat(put(PODS + "a", "2")).isEqualTo(start + 3);
        assertThat(delete(PODS + "a")).isEqualTo(start + 4);
        assertThat(store.revision()).isEqualTo(start + 4);
    }

    @Test
    void theBytesOfItsWritesAreCounted() {
        long before = store.written();
        put(PODS + "a", "one");
        put(PODS + "a", "three");
        delete(PODS + "a");
        assertThat(store.written() - before).isEqualTo(8);
    }

    @Test
    void anEntryKnowsWhenItWasCreatedAndModified() {
        long created = put(PODS + "a", "1");
        long modified = put(PODS + "a", "2");
        assertThat(store.get(PODS + "a")).contains(new Entry(PODS + "a", bytes("2"), created, modified));
        delete(PODS + "a");
        assertThat(store.get(PODS + "a")).isEmpty();
        long again = put(PODS + "a", "3");
        assertThat(store.get(PODS + "a")).contains(new Entry(PODS + "a", bytes("3"), again, again));
    }

    @Test
    void aWriteAnswersWhatWasThereBefore() {
        assertThat(committed(store.put(PODS + "a", bytes("1"), Store.ABSENT)).previous())
                .isNull();
        long first = store.revision();
        Entry before = new Entry(PODS + "a", bytes("1"), first, first);
        assertThat(committed(store.put(PODS + "a", bytes("2"), first)).previous())
                .isEqualTo(before);
        Entry second = store.get(PODS + "a").orElseThrow();
        assertThat(committed(store.delete(PODS + "a", second.modRevision())).previous())
                .isEqualTo(second);
    }

    @Test
    void creatingWhatIsThereConflictsWithItAndWritesNothing() {
        put(PODS + "a", "1");
        Entry there = store.get(PODS + "a").orElseThrow();
        assertThat(conflict(store.put(PODS + "a", bytes("2"), Store.ABSENT))).isEqualTo(there);
        assertThat(store.get(PODS + "a")).contains(there);
        assertThat(store.revision()).isEqualTo(start + 1);
    }

    @Test
    void updatingFromAnOldRevisionConflictsWithTheNewer() {
        long old = put(PODS + "a", "1");
        put(PODS + "a", "2");
        Entry there = store.get(PODS + "a").orElseThrow();
        assertThat(conflict(store.put(PODS + "a", bytes("3"), old))).isEqualTo(there);
        assertThat(conflict(store.delete(PODS + "a", old))).isEqualTo(there);
        assertThat(store.revision()).isEqualTo(start + 2);
    }

    @Test
    void updatingOrDeletingWhatIsNotThereConflictsWithNothing() {
        long gone = put(PODS + "a", "1");
        delete(PODS + "a");
        assertThat(conflict(store.put(PODS + "a", bytes("2"), gone))).isNull();
        assertThat(conflict(store.delete(PODS + "a", gone))).isNull();
        assertThat(conflict(store.delete(PODS + "a", Store.ANY))).isNull();
        assertThat(store.revision()).isEqualTo(start + 2);
    }

    @Test
    void valuesMayBeEmptyOrLarge() {
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        put(PODS + "empty", "");
        store.put(PODS + "large", large, Store.ABSENT);
        assertThat(store.get(PODS + "empty").orElseThrow().value()).isEmpty();
        assertThat(store.get(PODS + "large").orElseThrow().value()).isEqualTo(large);
        List<Event> replayed = watch(PODS, start).awaitCount(2);
        assertThat(replayed.get(0).current().value()).isEmpty();
        assertThat(replayed.get(1).current().value()).isEqualTo(large);
    }

    @Test
    void writesAskedForWithoutWaitingHappenInThatOrder() throws Exception {
        List<CompletableFuture<Result>> results = IntStream.range(0, 500)
                .mapToObj(i -> store.putAsync(PODS + i % 7, bytes("" + i), Store.ANY))
                .toList();
        for (int i = 0; i < results.size(); i++) {
            assertThat(committed(RecordingListener.get(results.get(i))).revision())
                    .isEqualTo(start + 1 + i);
        }
    }

    @Test
    void ofManyWritersThatCompareOnlyOneWins() throws Exception {
        long before = put(PODS + "a", "0");
        List<CompletableFuture<Result>> results = IntStream.range(0, 50)
                .mapToObj(i -> store.putAsync(PODS + "a", bytes("" + i), before))
                .toList();
        Entry winner = null;
        int won = 0;
        for (CompletableFuture<Result> result : results) {
            switch (RecordingListener.get(result)) {
                case Committed committed -> won++;
                case Conflict(Entry current) -> winner = current;
            }
        }
        assertThat(won).isEqualTo(1);
        assertThat(store.get(PODS + "a")).contains(winner);
    }

    // --- lists ---

    @Test
    void aListHoldsThePrefixInKeyOrder() {
        for (String key : List.of("b", "a", "a/x", "a0", "ä", "Z")) {
            put(PODS + key, key);
        }
        put("/registry/podtemplates/a", "no");
        put("/registry/pods", "no");
        delete(PODS + "b");
        Page page = store.list(PODS, ListOptions.ALL);
        assertThat(keys(page)).containsExactly(PODS + "Z", PODS + "a", PODS + "a/x", PODS + "a0", PODS + "ä");
        assertThat(page.entries())
                .allSatisfy(entry -> assertThat(PODS + value(entry)).isEqualTo(entry.key()));
        assertThat(page.revision()).isEqualTo(store.revision());
    }

    @Test
    void aListAtAnOldRevisionShowsTheStateOfThen() {
        put(PODS + "a", "1");
        put(PODS + "b", "1");
        long then = store.revision();
        put(PODS + "a", "2");
        delete(PODS + "b");
        put(PODS + "c", "1");
        Page page = store.list(PODS, ListOptions.ALL.at(then));
        assertThat(page.revision()).isEqualTo(then);
        assertThat(page.entries().stream().map(e -> e.key() + "=" + value(e)))
                .containsExactly(PODS + "a=1", PODS + "b=1");
    }

    @Test
    void pagesAtOneRevisionFitTogetherWhileWritesGoOn() {
        for (int i = 0; i < 25; i++) {
            put(PODS + "%02d".formatted(i), "old");
        }
        Page page = store.list(PODS, ListOptions.ALL.limit(10));
        long at = page.revision();
        assertThat(page.remaining()).isEqualTo(15);
        List<String> seen = new ArrayList<>(keys(page));
        while (page.more()) {
            put(PODS + "%02d-new".formatted(seen.size()), "new");
            delete(PODS + "%02d".formatted(seen.size() + 1));
            put(PODS + "%02d".formatted(seen.size() + 2), "new");
            page = store.list(PODS, new ListOptions(at, seen.getLast(), 10));
            assertThat(page.revision()).isEqualTo(at);
            assertThat(page.entries())
                    .allSatisfy(entry -> assertThat(value(entry)).isEqualTo("old"));
            seen.addAll(keys(page));
            assertThat(page.remaining()).isEqualTo(25 - seen.size());
        }
        assertThat(seen)
                .isEqualTo(IntStream.range(0, 25)
                        .mapToObj(i -> PODS + "%02d".formatted(i))
                        .toList());
    }

    @Test
    void aPageThatEndsWithTheListSaysSo() {
        put(PODS + "a", "1");
        put(PODS + "b", "1");
        assertThat(store.list(PODS, ListOptions.ALL.limit(2)).more()).isFalse();
        assertThat(store.list(PODS, ListOptions.ALL.limit(1)).more()).isTrue();
        assertThat(store.list(PODS, ListOptions.ALL.after(PODS + "b")).entries())
                .isEmpty();
    }

    @Test
    void aListAtARevisionThatIsNotThereYetFails() {
        assertThatThrownBy(() -> store.list(PODS, ListOptions.ALL.at(start + 1)))
                .isInstanceOf(FutureRevisionException.class);
    }

    // --- watches ---

    @Test
    void aWatchTellsWhatEachWriteChanged() {
        RecordingListener listener = watch(PODS, start);
        put(PODS + "a", "1");
        put(PODS + "a", "2");
        put("/registry/nodes/n", "1");
        delete(PODS + "a");
        put(PODS + "a", "3");
        List<Event> events = listener.awaitRevision(start + 5);
        assertThat(events.stream().map(StoreFixture::text))
                .containsExactly(PODS + "a:  -> 1", PODS + "a: 1 -> 2", PODS + "a: 2 -> ", PODS + "a:  -> 3");
        assertThat(events.stream().map(Event::revision)).containsExactly(start + 1, start + 2, start + 4, start + 5);
        assertThat(events.get(1).current().createRevision()).isEqualTo(start + 1);
        assertThat(events.get(2).type()).isEqualTo(Event.Type.DELETE);
        assertThat(events.get(3).current().createRevision()).isEqualTo(start + 5);
    }

    @Test
    void aLateWatchIsToldTheSameAsAnEarlyOne() {
        RecordingListener early = watch("", start);
        writeAtRandom(new Random(7), 300);
        long last = store.revision();
        List<Event> all = early.awaitRevision(last);
        for (long after : List.of(start, start + 1, start + 150, last - 1)) {
            assertThat(watch("", after).awaitRevision(last)).isEqualTo(all.subList((int) (after - start), all.size()));
        }
        assertThat(watch("", last).events()).isEmpty();
    }

    @Test
    void aWatchFromALaterRevisionKeepsSilentUntilThen() {
        RecordingListener listener = watch("", start + 3);
        put(PODS + "a", "1");
        put(PODS + "a", "2");
        put(PODS + "a", "3");
        put(PODS + "a", "4");
        assertThat(listener.awaitRevision(start + 4))
                .singleElement()
                .satisfies(event -> assertThat(event.revision()).isEqualTo(start + 4));
    }

    @Test
    void aClosedWatchHearsNoMore() {
        RecordingListener closed = new RecordingListener();
        Watch watch = store.watch("", start, closed);
        RecordingListener open = watch("", start);
        put(PODS + "a", "1");
        closed.awaitRevision(start + 1);
        watch.close();
        put(PODS + "a", "2");
        open.awaitRevision(start + 2);
        assertThat(closed.events()).hasSize(1);
        assertThat(closed.closed()).isNotDone();
    }

    @Test
    void watchesKnowOfAWriteBeforeItsWriterDoes() throws Exception {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        store.watch("", start, listener(events -> events.forEach(event -> seen.add(event.revision()))));
        List<Thread> writers = new ArrayList<>();
        Set<Long> missed = ConcurrentHashMap.newKeySet();
        for (int w = 0; w < 8; w++) {
            String key = PODS + w;
            writers.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 100; i++) {
                    long revision = put(key, "" + i);
                    if (!seen.contains(revision)) {
                        missed.add(revision);
                    }
                }
            }));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(missed).isEmpty();
        assertThat(seen).hasSize(800);
    }

    @Test
    void aListenerThatThrowsIsClosedWithItsCauseAndHurtsNobody() throws Exception {
        RuntimeException cause = new RuntimeException("on purpose");
        CompletableFuture<Throwable> heard = new CompletableFuture<>();
        store.watch("", start, new WatchListener() {
            @Override
            public void onEvents(List<Event> events) {
                throw cause;
            }

            @Override
            public void onClosed(Throwable why) {
                heard.complete(why);
            }
        });
        RecordingListener other = watch("", start);
        put(PODS + "a", "1");
        put(PODS + "a", "2");
        assertThat(other.awaitRevision(start + 2)).hasSize(2);
        assertThat(RecordingListener.get(heard)).isSameAs(cause);
    }

    @Test
    void closingTheStoreEndsItsWatches() throws Exception {
        RecordingListener listener = watch("", start);
        store.close();
        assertThat(RecordingListener.get(listener.closed())).isNull();
        StoreException refused =
                catchThrowableOfType(StoreException.class, () -> store.put(PODS + "a", bytes("1"), Store.ANY));
        assertThat(refused.reason()).isEqualTo(StoreException.Reason.CLOSED);
    }

    @Test
    void manyWritersAndWatchersAgreeOnOneHistory() throws Exception {
        int writers = 8;
        int each = 150;
        RecordingListener early = watch("", start);
        List<RecordingListener> late = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        for (int w = 0; w < writers; w++) {
            Random random = new Random(w);
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < each; i++) {
                    String key = PODS + random.nextInt(20);
                    Result result = random.nextInt(4) == 0
                            ? store.delete(key, Store.ANY)
                            : store.put(key, bytes("" + i), Store.ANY);
                    if (result instanceof Committed committed) {
                        acknowledged.add(committed.revision());
                    }
                }
            }));
        }
        for (int i = 0; i < 30; i++) {
            late.add(watch("", start + i % 3));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long last = store.revision();
        List<Event> history = early.awaitRevision(last);
        assertThat(history.stream().map(Event::revision))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, (int) (last - start))
                        .mapToObj(i -> start + i)
                        .toList());
        assertThat(acknowledged)
                .isEqualTo(new HashSet<>(history.stream().map(Event::revision).toList()));
        for (int i = 0; i < late.size(); i++) {
            assertThat(late.get(i).awaitRevision(last)).isEqualTo(history.subList(i % 3, history.size()));
        }
        assertThat(replay(history)).isEqualTo(state(last));
        long middle = start + (last - start) / 2;
        assertThat(replay(history.subList(0, (int) (middle - start)))).isEqualTo(state(middle));
    }

    // --- compaction ---

    @Test
    void compactionForgetsOnlyWhatWasSuperseded() {
        put(PODS + "a", "1");
        put(PODS + "b", "1");
        put(PODS + "a", "2");
        delete(PODS + "b");
        long at = store.revision();
        put(PODS + "a", "3");
        RecordingListener before = watch("", at);
        store.compact(at);
        assertThat(store.compactedRevision()).isEqualTo(at);
        assertThat(store.list(PODS, ListOptions.ALL.at(at)).entries())
                .singleElement()
                .satisfies(entry -> assertThat(value(entry)).isEqualTo("2"));
        assertThat(watch("", at).awaitCount(1))
                .isEqualTo(before.awaitCount(1))
                .satisfiesExactly(event -> assertThat(text(event)).isEqualTo(PODS + "a: 2 -> 3"));
        assertThatThrownBy(() -> store.list(PODS, ListOptions.ALL.at(at - 1))).isInstanceOf(CompactedException.class);
        assertThatThrownBy(() -> watch("", at - 1))
                .isInstanceOfSatisfying(
                        CompactedException.class,
                        e -> assertThat(e.compactedRevision()).isEqualTo(at));
    }

    @Test
    void compactionLeavesRevisionsAndTheNewestStateAlone() {
        writeAtRandom(new Random(3), 200);
        delete(put0());
        long last = store.revision();
        Map<String, String> state = state(last);
        store.compact(last);
        assertThat(store.revision()).isEqualTo(last);
        assertThat(state(last)).isEqualTo(state);
        reopen();
        assertThat(store.revision()).isEqualTo(last);
        assertThat(store.compactedRevision()).isEqualTo(last);
        assertThat(state(0)).isEqualTo(state);
        assertThat(put(PODS + "a", "1")).isEqualTo(last + 1);
    }

    private String put0() {
        put(PODS + "to-be-deleted", "0");
        return PODS + "to-be-deleted";
    }

    @Test
    void compactingTwiceOrBackwardsChangesNothing() {
        writeAtRandom(new Random(4), 20);
        store.compact(start + 10);
        store.compact(start + 10);
        store.compact(start + 5);
        assertThat(store.compactedRevision()).isEqualTo(start + 10);
        assertThatThrownBy(() -> store.compact(store.revision() + 1)).isInstanceOf(FutureRevisionException.class);
    }

    @Test
    void watchesAndWritersGoOnDuringCompaction() throws Exception {
        RecordingListener listener = watch("", start);
        Thread writer = Thread.ofVirtual().start(() -> writeAtRandom(new Random(5), 1500));
        for (long at = start; writer.isAlive(); at = store.revision()) {
            store.compact(at);
            store.list("", ListOptions.ALL);
        }
        writer.join();
        long last = store.revision();
        List<Event> history = listener.awaitRevision(last);
        assertThat(history).hasSize((int) (last - start));
        store.compact(last);
        assertThat(replay(history)).isEqualTo(state(last));
    }

    // --- restart ---

    @Test
    void everythingIsThereAfterReopening() {
        RecordingListener listener = watch("", start);
        writeAtRandom(new Random(6), 100);
        long last = store.revision();
        List<Event> history = listener.awaitRevision(last);
        reopen();
        assertThat(store.revision()).isEqualTo(last);
        assertThat(watch("", start).awaitRevision(last)).isEqualTo(history);
        assertThat(replay(history)).isEqualTo(state(0));
        assertThat(put(PODS + "next", "1")).isEqualTo(last + 1);
    }
}
