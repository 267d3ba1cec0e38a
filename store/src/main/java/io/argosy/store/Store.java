package io.argosy.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Keys with values under one revision counter: the only state of the cluster, behind the API server.
 *
 * <p><b>Revisions.</b> Every successful write gets a revision of its own, one above the last; none is ever used twice,
 * also after a restart, a crash or a compaction. An empty store stands at a revision above 0, because 0 means "newest"
 * to a reader and "must not exist" to a writer.
 *
 * <p><b>Reads</b> are consistent at one revision, and see every write acknowledged before they began. <b>Writes</b> are
 * acknowledged when they are durable, and compare the key's modification revision first. <b>Watches</b> deliver every
 * change after a revision once, in order, without gap.
 *
 * <p><b>History</b> reaches back to {@link #compactedRevision()}: lists at that revision and watches after it work,
 * anything older answers {@link CompactedException}.
 *
 * <p>Keys are ordered by their UTF-8 bytes. Values are shared, not copied: nobody may change an array that went in or
 * came out. All methods may be called from any thread, virtual ones included, and throw {@link StoreException} when the
 * store cannot do its work.
 */
public interface Store extends AutoCloseable {
    /** As an expected revision: write whatever is there. */
    long ANY = -1;

    /** As an expected revision: the key must not exist. */
    long ABSENT = 0;

    /** Whether other processes may write to it too, so that there may be more in it than this one has been told of. */
    default boolean shared() {
        return false;
    }

    /** The newest committed revision. */
    long revision();

    /** The oldest revision that can still be read. */
    long compactedRevision();

    /** How many bytes of values this process has asked to write since it opened the store, by which its history grows. */
    default long written() {
        return 0;
    }

    /** The key's newest version. */
    Optional<Entry> get(String key);

    /** The keys that start with the prefix, as they were at one revision. */
    Page list(String prefix, ListOptions options);

    /**
     * Creates or replaces a key if its modification revision is the expected one ({@link #ABSENT}: if there is none;
     * {@link #ANY}: in any case), and returns when that is durable.
     */
    default Result put(String key, byte[] value, long expected) {
        return await(putAsync(key, value, expected));
    }

    /**
     * Deletes a key if its modification revision is the expected one ({@link #ANY}: in any case). A key that is not
     * there is a conflict with nothing, and takes no revision.
     */
    default Result delete(String key, long expected) {
        return await(deleteAsync(key, expected));
    }

    /**
     * As {@link #put}, without waiting. Writes of one thread are carried out in the order it asked for them. What hangs
     * on the future runs on a thread of the store and must be as quick as a {@link WatchListener}.
     */
    CompletableFuture<Result> putAsync(String key, byte[] value, long expected);

    /** As {@link #delete}, without waiting. */
    CompletableFuture<Result> deleteAsync(String key, long expected);

    /**
     * As {@link #put}, of a key that goes away by itself if it is not written again within its life. Only a {@link #shared} store
     * can: where there is one writer only, nobody is left to miss it.
     *
     * @param life in whole seconds; the store may make it somewhat longer
     */
    default Result putFor(Duration life, String key, byte[] value, long expected) {
        throw new UnsupportedOperationException("keys lapse in a shared store only");
    }

    /**
     * Tells the listener of every change of keys with that prefix after that revision: first what has already happened,
     * before this call returns, then what happens from now on, until the watch or the store is closed.
     *
     * @throws CompactedException if changes after that revision are no longer known
     */
    Watch watch(String prefix, long afterRevision, WatchListener listener);

    /**
     * Forgets what was superseded at that revision or before, and returns when it is done; a revision already compacted
     * is nothing to do. Writers go on meanwhile.
     *
     * @throws FutureRevisionException if there is no such revision yet
     */
    void compact(long revision);

    /** Finishes the writes already asked for, ends the watches, and gives back what the store holds; once is enough. */
    @Override
    void close();

    private static Result await(CompletableFuture<Result> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreException failure) {
                throw new StoreException(failure.reason(), failure.getMessage(), failure);
            }
            throw e;
        }
    }
}
