package io.argosy.server.cache;

import io.argosy.api.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The recent changes of one resource, as a chain that every watcher walks at its own pace.
 *
 * <p>The chain is bounded, in number and in bytes: a watcher that falls further behind is cut off and told so, which bounds what a slow
 * one can cost. One thread appends; any number read.
 */
final class WatchLog {
    static final int CAPACITY = 8192;
    static final long MOST_BYTES = 32L << 20;

    /** However large they are, so many changes are kept: who watches is never cut off for one moment's delay. */
    static final int LEAST = 32;

    /** Laggards are looked for whenever so much has left the chain. */
    private static final int STRIDE = 1024;

    private static final long STRIDE_BYTES = MOST_BYTES / 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    /** Those whose readers hold a clock while there is something to read. */
    private final List<Cursor> attended = new ArrayList<>();

    private final Set<Cursor> cursors = Collections.newSetFromMap(new WeakHashMap<>());

    /** The newest link. */
    private Link tail;

    private boolean cut;

    /** The oldest link kept: a cursor may stand on it, and read what follows. */
    private Link head;

    /** Of the changes after the head. */
    private long bytes;

    private int left;
    private long leftBytes;

    WatchLog(long revision) {
        this.tail = new Link(null, revision, 0);
        this.head = tail;
    }

    void append(Change change) {
        lock.lock();
        try {
            Link link = new Link(change, change.revision(), tail.sequence + 1);
            tail.next = link;
            tail = link;
            bytes += link.bytes();
            while (isTooLong()) {
                head = head.next;
                bytes -= head.bytes();
                leftBytes += head.bytes();
                left++;
            }
            if (left >= STRIDE || leftBytes >= STRIDE_BYTES) {
                left = 0;
                leftBytes = 0;
                cutOffLaggards();
            }
            attended.forEach(Cursor::busy);
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isTooLong() {
        long length = tail.sequence - head.sequence;
        return length > CAPACITY || (bytes > MOST_BYTES && length > LEAST);
    }

    /** What the changes after the head take. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all watches; whoever watches may come again. */
    void endAll() {
        lock.lock();
        try {
            List.copyOf(cursors).forEach(Cursor::close);
        } finally {
            lock.unlock();
        }
    }

    private void cutOffLaggards() {
        for (Cursor cursor : cursors) {
            if (cursor.at.sequence < head.sequence) {
                cursor.at = Link.CUT_OFF;
            }
        }
    }

    /** Tells every watcher that changes were missed; nothing is appended any more. */
    void cutOffAll() {
        lock.lock();
        try {
            cursors.forEach(cursor -> cursor.at = Link.CUT_OFF);
            cut = true;
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A cursor that stands right after the revision; null if changes after it are no longer known. */
    Cursor after(long revision) {
        return after(revision, null);
    }

    /** The same, for a reader who holds the clock while there is something to read; from now until the first wait, too. */
    Cursor after(long revision, Clock clock) {
        lock.lock();
        try {
            if (cut || revision < head.revision) {
                return null;
            }
            Link link = head;
            while (link.next != null && link.next.revision <= revision) {
                link = link.next;
            }
            Cursor cursor = new Cursor(link, revision, clock);
            cursors.add(cursor);
            if (clock != null) {
                attended.add(cursor);
                cursor.busy();
            }
            return cursor;
        } finally {
            lock.unlock();
        }
    }

    /** A cursor that stands at the beginning of what is known; null if changes were missed. */
    Cursor fromOldest(Clock clock) {
        lock.lock();
        try {
            return after(head.revision, clock);
        } finally {
            lock.unlock();
        }
    }

    private static final class Link {
        static final Link CUT_OFF = new Link(null, Long.MAX_VALUE, Long.MAX_VALUE);

        final Change change;
        final long revision;
        final long sequence;
        Link next;

        Link(Change change, long revision, long sequence) {
            this.change = change;
            this.revision = revision;
            this.sequence = sequence;
        }

        /** The state before is the change's before it, or was in the cache. */
        long bytes() {
            return change.current().json().length;
        }
    }

    /** One watcher's place in the chain. */
    final class Cursor {
        private Link at;

        /** Changes up to here are known to the watcher, even if they reach the log only now. */
        private final long after;

        /** Null where nobody turns a clock by hand. */
        private final Clock clock;

        private boolean closed;
        private boolean holding;

        private Cursor(Link at, long after, Clock clock) {
            this.at = at;
            this.after = after;
            this.clock = clock;
        }

        private void busy() {
            if (clock != null && !holding) {
                holding = true;
                clock.hold();
            }
        }

        private void resting() {
            if (holding) {
                holding = false;
                clock.release();
            }
        }

        /** The revision it stands after. */
        long after() {
            return after;
        }

        /** The reader has dealt with the end of the watch, too. */
        void done() {
            lock.lock();
            try {
                attended.remove(this);
                resting();
            } finally {
                lock.unlock();
            }
        }

        /** Waits for the next change, at most that long; null when the time has passed or the cursor is closed. */
        Change next(long nanos) throws InterruptedException, CutOffException {
            lock.lockInterruptibly();
            try {
                long left = nanos;
                passKnown();
                while (at.next == null && !closed && left > 0 && at != Link.CUT_OFF) {
                    resting();
                    left = grown.awaitNanos(left);
                    passKnown();
                }
                if (at == Link.CUT_OFF || at.sequence < head.sequence) {
                    throw new CutOffException();
                }
                if (closed || at.next == null) {
                    return null;
                }
                at = at.next;
                return at.change;
            } finally {
                lock.unlock();
            }
        }

        private void passKnown() {
            while (at.next != null && at.next.revision <= after) {
                at = at.next;
            }
        }

        void close() {
            lock.lock();
            try {
                closed = true;
                cursors.remove(this);
                if (attended.contains(this)) {
                    busy(); // with the end
                }
                grown.signalAll();
            } finally {
                lock.unlock();
            }
        }

        boolean closed() {
            lock.lock();
            try {
                return closed;
            } finally {
                lock.unlock();
            }
        }
    }

    /** The watcher was too slow; what it missed is gone. */
    static final class CutOffException extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
