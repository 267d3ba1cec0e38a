package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.ValueForm;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few connections for reading, opened when first needed. Queries run on the caller's thread: most of the time they
 * find their pages in memory, and handing them to another thread would cost more than the moment a carrier is held.
 */
final class ReaderPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReaderPool.class);
    private static final int SIZE = 4;

    private final Database database;
    private final ValueForm form;
    private final Semaphore permits = new Semaphore(SIZE);
    private final ConcurrentLinkedDeque<Reading> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    ReaderPool(Database database, ValueForm form) {
        this.database = database;
        this.form = form;
    }

    interface Query<T> {
        T run(LogReader reader) throws SQLException;
    }

    <T> T read(Query<T> query) {
        permits.acquireUninterruptibly();
        try {
            if (closed) {
                throw new StoreException(Reason.CLOSED, "The store is closed.", null);
            }
            Reading reading = idle.pollFirst();
            if (reading == null) {
                reading = open();
            }
            return query(query, reading);
        } catch (SQLException e) {
            throw database.explain(e);
        } finally {
            permits.release();
        }
    }

    /** A connection that failed is not used again. */
    private <T> T query(Query<T> query, Reading reading) throws SQLException {
        boolean sound = false;
        try {
            T result = query.run(reading.reader());
            sound = true;
            return result;
        } finally {
            if (sound) {
                idle.addFirst(reading);
            } else {
                reading.connection().close();
            }
        }
    }

    private Reading open() throws SQLException {
        Connection connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA cache_size = -1024");
        }
        return new Reading(connection, new LogReader(new Statements(connection), form));
    }

    private record Reading(Connection connection, LogReader reader) {}

    @Override
    public void close() {
        closed = true;
        permits.acquireUninterruptibly(SIZE);
        try {
            for (Reading reading = idle.pollFirst(); reading != null; reading = idle.pollFirst()) {
                reading.connection().close();
            }
        } catch (SQLException e) {
            log.warn("A reading connection did not close.", e);
        } finally {
            permits.release(SIZE);
        }
    }
}
