package io.argosy.server.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The chain of changes and its cursors. */
class WatchLogTest {
    private static final long FIRST = 100;
    private static final int LENGTH = 8192;

    private final WatchLog log = new WatchLog(FIRST);

    private void append(long from, int count) {
        for (long revision = from; revision < from + count; revision++) {
            CachedObject object = new CachedObject("ns/a", "ns", "a", new byte[0], revision, Map.of(), Map.of());
            log.append(new Change(object, null, false));
        }
    }

    private static long next(WatchLog.Cursor cursor) throws Exception {
        Change change = cursor.next(0);
        return change == null ? -1 : change.revision();
    }

    @Test
    void aCursorReadsWhatComesAfterItsRevision() throws Exception {
        append(101, 3);
        WatchLog.Cursor cursor = log.after(102);
        assertThat(next(cursor)).isEqualTo(103);
        assertThat(next(cursor)).isEqualTo(-1);
        append(104, 1);
        assertThat(next(cursor)).isEqualTo(104);
    }

    @Test
    void whatAWatcherKnowsAlreadyIsNotRepeatedWhenItComesLate() throws Exception {
        WatchLog.Cursor cursor = log.after(102);
        append(101, 3);
        assertThat(next(cursor)).isEqualTo(103);
    }

    @Test
    void theOldestRevisionKeptIsTheOneBeforeTheOldestChange() throws Exception {
        append(101, LENGTH);
        assertThat(log.after(FIRST - 1)).isNull();
        assertThat(next(log.after(FIRST))).isEqualTo(101);
        append(101 + LENGTH, 1);
        assertThat(log.after(FIRST)).isNull();
        assertThat(next(log.after(101))).isEqualTo(102);
    }

    @Test
    void aCursorAtTheHeadReadsOnAndOneBehindItIsCutOff() throws Exception {
        WatchLog.Cursor behind = log.after(FIRST);
        append(101, 1);
        WatchLog.Cursor atHead = log.after(101);
        append(102, LENGTH);
        assertThat(next(atHead)).isEqualTo(102);
        assertThatThrownBy(() -> behind.next(0)).isInstanceOf(WatchLog.CutOffException.class);
    }

    @Test
    void aCursorThatKeepsUpIsNeverCutOff() throws Exception {
        WatchLog.Cursor cursor = log.after(FIRST);
        for (long revision = 101; revision < 101 + 3L * LENGTH; revision++) {
            append(revision, 1);
            assertThat(next(cursor)).isEqualTo(revision);
        }
    }

    @Test
    void aCursorThatSleepsIsForgottenByTheLog() throws Exception {
        WatchLog.Cursor cursor = log.after(FIRST);
        append(101, 2 * LENGTH);
        assertThatThrownBy(() -> cursor.next(0)).isInstanceOf(WatchLog.CutOffException.class);
        assertThatThrownBy(() -> cursor.next(0)).isInstanceOf(WatchLog.CutOffException.class);
    }

    @Test
    void aClosedCursorWakesItsReader() throws Exception {
        WatchLog.Cursor cursor = log.after(FIRST);
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                cursor.next(TimeUnit.MINUTES.toNanos(1));
            } catch (Exception unexpected) {
                throw new IllegalStateException(unexpected);
            }
        });
        cursor.close();
        assertThat(reader.join(java.time.Duration.ofSeconds(20))).isTrue();
        assertThat(cursor.closed()).isTrue();
    }

    private void appendLarge(long from, int count, int bytes) {
        for (long revision = from; revision < from + count; revision++) {
            CachedObject object = new CachedObject("ns/a", "ns", "a", new byte[bytes], revision, Map.of(), Map.of());
            log.append(new Change(object, null, false));
        }
    }

    @Test
    void fewerChangesAreKeptTheLargerTheyAre() throws Exception {
        WatchLog.Cursor behind = log.after(FIRST);
        appendLarge(101, 200, 512 << 10);
        assertThat(log.bytes()).isEqualTo(WatchLog.MOST_BYTES);
        assertThat(next(log.after(300 - 64))).isEqualTo(301 - 64);
        assertThat(log.after(300 - 65)).isNull();
        assertThatThrownBy(() -> behind.next(0)).isInstanceOf(WatchLog.CutOffException.class);
        append(301, LENGTH);
        assertThat(log.bytes()).isZero();
    }

    @Test
    void someChangesAreKeptHoweverLargeTheyAre() throws Exception {
        appendLarge(101, 40, 2 << 20);
        assertThat(next(log.after(140 - WatchLog.LEAST))).isEqualTo(141 - WatchLog.LEAST);
        assertThat(log.after(139 - WatchLog.LEAST)).isNull();
    }
}
