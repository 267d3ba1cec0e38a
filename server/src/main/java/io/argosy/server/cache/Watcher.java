package io.argosy.server.cache;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import java.time.Duration;
import java.util.Queue;

/** Reads the changes of one resource from a revision on; for one thread. */
public final class Watcher implements AutoCloseable {
    private final Queue<Change> earlier;
    private final WatchLog.Cursor cursor;

    /** Reads first what came before the log, then the log. */
    Watcher(Queue<Change> earlier, WatchLog.Cursor cursor) {
        this.earlier = earlier;
        this.cursor = cursor;
    }

    /** The next change; null when the time has passed or the watcher was closed. Throws Expired when it was too slow. */
    public Change next(Duration wait) throws InterruptedException {
        if (!earlier.isEmpty() && !cursor.closed()) {
            return earlier.poll();
        }
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

    static ApiException tooOld(long revision, long oldest) {
        return new ApiException(Reason.Expired, "too old resource version: " + revision + " (" + oldest + ")");
    }
}
