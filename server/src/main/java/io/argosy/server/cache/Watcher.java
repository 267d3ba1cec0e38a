package io.argosy.server.cache;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import java.time.Duration;

/** Reads the changes of one resource from a revision on; for one thread. */
public final class Watcher implements AutoCloseable {
    private final WatchLog.Cursor cursor;

    Watcher(WatchLog log, long afterRevision, Clock clock) {
        cursor = log.after(afterRevision, clock);
        if (cursor == null) {
            throw tooOld(afterRevision);
        }
    }

    /** The next change; null when the time has passed or the watcher was closed. Throws Expired when it was too slow. */
    public Change next(Duration wait) throws InterruptedException {
        try {
            return cursor.next(wait.toNanos());
        } catch (WatchLog.CutOffException tooSlow) {
            throw new ApiException(Reason.Expired, "The resourceVersion for the provided watch is too old.");
        }
    }

    public boolean closed() {
        return cursor.closed();
    }

    /** The reader is through with it, the end included, and lets go of the clock it may have held. */
    public void done() {
        cursor.done();
    }

    @Override
    public void close() {
        cursor.close();
    }

    private static ApiException tooOld(long revision) {
        return new ApiException(Reason.Expired, "too old resource version: " + revision);
    }
}
