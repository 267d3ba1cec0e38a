package io.argosy.store.sqlite;

import io.argosy.store.CompactedException;
import io.argosy.store.Entry;
import io.argosy.store.FutureRevisionException;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedded store: a folder with one SQLite database, for one process.
 *
 * <p>Beyond the contract it promises: watches hear of a write <em>before</em> the writer does, from one thread, in
 * revision order. So a cache in memory that is fed by a watch shows every write that its writer knows of. History, while
 * {@link #watch} catches up, comes from the thread that called it.
 */
public final class SqliteStore implements Store {
    private static final Logger log = LoggerFactory.getLogger(SqliteStore.class);

    /** How long closing waits for listeners and the disk. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final FolderLock folderLock;
    private final LongAdder written = new LongAdder();
    private final Database database;
    private final Head head;
    private final ReaderPool readers;
    private final Dispatcher dispatcher;
    private final Writer writer;
    private final Thread writing;
    private final Thread dispatching;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SqliteStore(FolderLock folderLock, Database database, ValueForm form) throws SQLException {
        this.folderLock = folderLock;
        this.database = database;
        this.head = readHead(database);
        this.readers = new ReaderPool(database, form);
        this.dispatcher = new Dispatcher(readers, head);
        this.writer = new Writer(database, form, head, dispatcher);
        this.dispatching = Thread.ofPlatform().name("store-dispatch").daemon().start(dispatcher);
        this.writing = Thread.ofPlatform().name("store-writer").daemon().start(writer);
    }

    /** Opens the store of a folder in which values are as they are. */
    public static SqliteStore open(Path folder) {
        return open(folder, ValueForm.PLAIN);
    }

    /**
     * Opens the store of a folder, which is made if it is not there.
     *
     * @throws StoreException that says what is wrong and what to do, and nothing was changed
     */
    public static SqliteStore open(Path folder, ValueForm form) {
        Path absolute = folder.toAbsolutePath().normalize();
        if (Files.exists(absolute) && !Files.isDirectory(absolute)) {
            throw new StoreException(
                    StoreException.Reason.NOT_A_FOLDER,
                    absolute + " is a file, not a folder: choose another folder.",
                    null);
        }
        try {
            Modes.createFolder(absolute);
            FolderLock lock = FolderLock.take(absolute);
            try {
                NativeLibrary.prepare(absolute);
                return start(lock, Database.open(absolute), form);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw explain(absolute, e);
        }
    }

    private static SqliteStore start(FolderLock lock, Database database, ValueForm form) {
        try {
            return new SqliteStore(lock, database, form);
        } catch (SQLException e) {
            StoreException failure = database.explain(e);
            try {
                database.writer().close();
            } catch (SQLException again) {
                failure.addSuppressed(again);
            }
            throw failure;
        }
    }

    private static Head readHead(Database database) throws SQLException {
        long compacted = database.number("SELECT number FROM meta WHERE name = 'compacted'");
        long last = database.number("SELECT max(revision) FROM log");
        return new Head(Math.max(last, compacted), compacted); // the last row may have been a delete, now swept
    }

    private static StoreException explain(Path folder, IOException e) {
        String why = e instanceof FileSystemException file ? String.valueOf(file.getReason()) : e.getMessage();
        if (why.contains("No space left")) {
            return Database.full(folder, e);
        }
        boolean refused = e instanceof AccessDeniedException
                || why.contains("Operation not permitted")
                || why.contains("Read-only file system");
        return refused
                ? Database.noPermission(folder, e)
                : new StoreException(
                        StoreException.Reason.UNAVAILABLE,
                        "The folder " + folder + " could not be used (" + e + "): look at the disk it is on.",
                        e);
    }

    @Override
    public long revision() {
        return head.newest;
    }

    @Override
    public long compactedRevision() {
        return head.compacted;
    }

    @Override
    public Optional<Entry> get(String key) {
        return newest(at -> readers.read(reader -> reader.get(key, at)));
    }

    @Override
    public Page list(String prefix, ListOptions options) {
        if (!options.afterKey().isEmpty() && !options.afterKey().startsWith(prefix)) {
            throw new IllegalArgumentException(options.afterKey() + " is no key of the list of " + prefix);
        }
        if (options.revision() == 0) {
            return newest(at -> listAt(prefix, options, at));
        }
        if (options.revision() > head.newest) {
            throw new FutureRevisionException(options.revision(), head.newest);
        }
        Page page = listAt(prefix, options, options.revision());
        if (options.revision() < head.compacted) { // asked after reading: what was read is whole
            throw new CompactedException(options.revision(), head.compacted);
        }
        return page;
    }

    private Page listAt(String prefix, ListOptions options, long at) {
        return readers.read(reader -> {
            List<Entry> entries = reader.list(prefix, options.afterKey(), at, options.limit());
            boolean full = options.limit() > 0 && entries.size() == options.limit();
            long remaining = full ? reader.count(prefix, entries.getLast().key(), at) : 0;
            return new Page(entries, at, remaining);
        });
    }

    /** Reads at the newest revision; again if compaction went past it meanwhile. */
    private <T> T newest(LongFunction<T> read) {
        while (true) {
            long at = head.newest;
            T result = read.apply(at);
            if (at >= head.compacted) {
                return result;
            }
        }
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public CompletableFuture<Result> putAsync(String key, byte[] value, long expected) {
        requireKey(key, expected);
        written.add(value.length);
        return writer.write(key, Objects.requireNonNull(value, "value"), expected);
    }

    @Override
    public CompletableFuture<Result> deleteAsync(String key, long expected) {
        requireKey(key, expected);
        return writer.write(key, null, expected);
    }

    private static void requireKey(String key, long expected) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key must not be empty");
        }
        if (expected < ANY) {
            throw new IllegalArgumentException("no revision can be expected to be " + expected);
        }
    }

    @Override
    public Watch watch(String prefix, long afterRevision, WatchListener listener) {
        return dispatcher.watch(prefix, afterRevision, listener);
    }

    @Override
    public void compact(long revision) {
        if (revision > head.newest) {
            throw new FutureRevisionException(revision, head.newest);
        }
        try {
            writer.compact(revision).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreException failure) {
                throw new StoreException(failure.reason(), failure.getMessage(), failure);
            }
            throw e;
        }
    }

    /**
     * Writes all there is, as of one moment, into a database of its own that a folder can be opened with; writers go on meanwhile. The file must
     * not be there yet.
     *
     * @return the revision it holds
     */
    public long copyTo(Path file) {
        try {
            return Copies.write(database, file.toAbsolutePath());
        } catch (SQLException e) {
            throw database.explain(e);
        }
    }

    /** Looks through a database that {@link #copyTo} wrote, and throws if it is not whole. */
    public static void check(Path file) {
        Copies.check(file.toAbsolutePath());
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        writer.stop();
        try {
            end(writing);
            dispatcher.end();
            end(dispatching);
            readers.close();
            database.writer().close();
            folderLock.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            log.warn("Closing the store was interrupted; the database will recover at the next start.");
        } catch (SQLException | IOException e) {
            log.warn("The store did not close cleanly; the database will recover at the next start.", e);
        }
    }

    private static void end(Thread thread) throws InterruptedException {
        if (!thread.join(PATIENCE)) {
            log.warn("{} does not end, a listener may hang: going on without it.", thread.getName());
            thread.interrupt();
            thread.join(PATIENCE);
        }
    }
}
