package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
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
    private final Semaphore permits = new Semaphore(SIZE);
    private final ConcurrentLinkedDeque<LogReader> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    ReaderPool(Database database) {
        this.database = database;
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
            LogReader reader = idle.pollFirst();
            if (reader == null) {
                reader = open();
            }
            try {
                return query.run(reader);
            } finally {
                idle.addFirst(reader);
            }
        } catch (SQLException e) {
            throw database.explain(e);
        } finally {
            permits.release();
        }
    }

    private LogReader open() throws SQLException {
        Connection connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA cache_size = -1024");
        }
        return new LogReader(connection);
    }

    @Override
    public void close() {
        closed = true;
        permits.acquireUninterruptibly(SIZE);
        try {
            for (LogReader reader = idle.pollFirst(); reader != null; reader = idle.pollFirst()) {
                reader.close();
            }
        } catch (SQLException e) {
            log.warn("A reading connection did not close.", e);
        } finally {
            permits.release(SIZE);
        }
    }
}
