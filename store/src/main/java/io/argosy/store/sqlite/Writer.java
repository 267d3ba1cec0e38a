package io.argosy.store.sqlite;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.ValueForm;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. It takes all writes that wait, puts them into one transaction and so shares one sync among
 * them (group commit): the more wait, the cheaper each is. Between commits it compacts, a small step at a time.
 */
final class Writer implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Writer.class);
    private static final int BATCH_WRITES = 512;
    private static final long BATCH_BYTES = 8 << 20;

    private static final String INSERT =
            "INSERT INTO log (revision, key, created, previous, deleted, value) VALUES (?, ?, ?, ?, ?, ?)";

    /** What the writer is asked to do. */
    private sealed interface Order {
        CompletableFuture<?> answer();
    }

    /** A null value deletes; beside it stands what goes to the disk. */
    @SuppressWarnings("ArrayRecordComponent") // only carried from one thread to another
    private record Write(String key, byte[] value, byte[] stored, long expected, CompletableFuture<Result> answer)
            implements Order {}

    private record Compact(long revision, CompletableFuture<Void> answer) implements Order {}

    private record Stop(CompletableFuture<Void> answer) implements Order {}

    private final LinkedBlockingQueue<Order> orders = new LinkedBlockingQueue<>();
    private final Database database;
    private final Head head;
    private final Dispatcher dispatcher;
    private final ValueForm form;
    private final Compaction compaction;
    private final Statements statements;
    private final LogReader current;
    private boolean failing;
    private volatile boolean stopped;

    Writer(Database database, ValueForm form, Head head, Dispatcher dispatcher) throws SQLException {
        this.database = database;
        this.form = form;
        this.head = head;
        this.dispatcher = dispatcher;
        this.statements = new Statements(database.writer());
        this.compaction = new Compaction(database, statements, head);
        this.current = new LogReader(statements, form);
    }

    CompletableFuture<Result> write(String key, byte[] value, long expected) {
        byte[] stored = value == null ? new byte[0] : form.toStored(key, value);
        return order(new Write(key, value, stored, expected, new CompletableFuture<>())).answer;
    }

    CompletableFuture<Void> compact(long revision) {
        return order(new Compact(revision, new CompletableFuture<>())).answer;
    }

    /** Asks the writer to end when it has done what was asked before. */
    void stop() {
        order(new Stop(new CompletableFuture<>()));
    }

    private <T extends Order> T order(T order) {
        orders.add(order);
        if (stopped) {
            refuseAll();
        }
        return order;
    }

    private void refuseAll() {
        for (Order order = orders.poll(); order != null; order = orders.poll()) {
            order.answer().completeExceptionally(new StoreException(Reason.CLOSED, "The store is closed.", null));
        }
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                switch (compaction.pending() ? orders.poll() : orders.take()) {
                    case null -> {}
                    case Write write -> commit(gather(write));
                    case Compact compact -> compaction.begin(compact.revision(), compact.answer());
                    case Stop _ -> stopped = true;
                }
                if (compaction.pending() && !stopped) {
                    compaction.step();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the store gave up waiting for a listener
        } finally {
            stopped = true;
            compaction.abandon();
            refuseAll();
        }
    }

    private List<Write> gather(Write first) {
        List<Write> batch = new ArrayList<>();
        batch.add(first);
        long bytes = size(first);
        while (batch.size() < BATCH_WRITES && bytes < BATCH_BYTES && orders.peek() instanceof Write next) {
            orders.remove();
            batch.add(next);
            bytes += size(next);
        }
        return batch;
    }

    private static long size(Write write) {
        return write.stored().length;
    }

    private void commit(List<Write> batch) throws InterruptedException {
        long before = head.newest;
        List<Event> events = new ArrayList<>(batch.size());
        List<Runnable> acknowledgements = new ArrayList<>(batch.size());
        try {
            statements.get("BEGIN IMMEDIATE").execute();
            for (Write write : batch) {
                Result result = apply(write, before + events.size() + 1, events);
                acknowledgements.add(() -> write.answer().complete(result));
            }
            statements.get("COMMIT").execute();
            head.newest = before + events.size();
            if (failing) {
                log.info("Writes succeed again.");
                failing = false;
            }
        } catch (SQLException | RuntimeException | Error e) {
            statements.rollback(e);
            StoreException failure = e instanceof SQLException sql
                    ? database.explain(sql)
                    : new StoreException(Reason.UNAVAILABLE, "The write failed: " + e, e);
            if (!failing) {
                log.warn("Writes fail from now on. {}", failure.getMessage());
                failing = true;
            }
            events.clear();
            acknowledgements.clear();
            batch.forEach(write -> acknowledgements.add(() -> write.answer().completeExceptionally(failure)));
        }
        try {
            dispatcher.submit(new Dispatcher.Commit(events, head.newest, acknowledgements));
        } catch (InterruptedException e) {
            acknowledgements.forEach(Runnable::run); // durable all the same
            throw e;
        }
    }

    private Result apply(Write write, long revision, List<Event> events) throws SQLException {
        Optional<Entry> found = current.get(write.key(), revision);
        Entry previous = found.orElse(null);
        long actual = found.map(Entry::modRevision).orElse(Store.ABSENT);
        boolean delete = write.value() == null;
        if ((write.expected() != Store.ANY && write.expected() != actual) || (delete && previous == null)) {
            return new Result.Conflict(previous);
        }
        long created = previous == null ? revision : previous.createRevision();
        statements
                .get(INSERT, revision, write.key(), created, actual, delete ? 1 : 0, write.stored())
                .executeUpdate();
        events.add(
                delete
                        ? Event.delete(previous, revision)
                        : Event.put(new Entry(write.key(), write.value(), created, revision), previous));
        return new Result.Committed(revision, previous);
    }
}
