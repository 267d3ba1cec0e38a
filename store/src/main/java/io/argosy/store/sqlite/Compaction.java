package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what is superseded, in steps short enough to stand between two commits: first the rows, by walking the log up
 * to the compacted revision, then the pages they leave free, then the write-ahead log's file. The walk's progress is
 * stored with it, so that it goes on where a crash or a close left it. Runs on the writer's thread.
 */
final class Compaction {
    private static final Logger log = LoggerFactory.getLogger(Compaction.class);
    private static final int STEP_REVISIONS = 256;
    private static final long STEP_BYTES = 4 << 20;
    private static final int STEP_PAGES = 512;

    /** Free pages left in the file for the next writes, 4 MiB. */
    private static final int SPARE_PAGES = 1024;

    private final Database database;
    private final Head head;
    private final Statement statement;
    private final PreparedStatement walk;
    private final PreparedStatement removeSuperseded;
    private final PreparedStatement removeDeletes;
    private final PreparedStatement setMeta;
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private long swept;
    private boolean pending;

    Compaction(Database database, Head head) throws SQLException {
        this.database = database;
        this.head = head;
        Connection connection = database.writer();
        this.statement = connection.createStatement();
        this.swept = Database.number(statement, "SELECT number FROM meta WHERE name = 'swept'");
        this.pending = swept < head.compacted;
        this.walk = connection.prepareStatement("""
                SELECT l.revision, length(p.value) FROM log AS l LEFT JOIN log AS p ON p.revision = l.previous
                WHERE l.revision > ? AND l.revision <= ? ORDER BY l.revision""");
        this.removeSuperseded = connection.prepareStatement("""
                DELETE FROM log WHERE revision IN
                (SELECT previous FROM log WHERE revision > ? AND revision <= ? AND previous > 0)""");
        this.removeDeletes =
                connection.prepareStatement("DELETE FROM log WHERE revision > ? AND revision <= ? AND deleted");
        this.setMeta = connection.prepareStatement("UPDATE meta SET number = ? WHERE name = ?");
    }

    boolean pending() {
        return pending;
    }

    /** Readers are told before the first row goes, so that none takes a gap for the truth. */
    void begin(long revision, CompletableFuture<Void> done) {
        try {
            if (revision > head.compacted) {
                setMeta("compacted", revision);
                head.compacted = revision;
            }
            waiting.add(done);
            pending = true;
        } catch (SQLException e) {
            done.completeExceptionally(database.explain(e));
        }
    }

    void step() {
        try {
            if (swept < head.compacted) {
                sweep();
            } else if (Database.number(statement, "PRAGMA freelist_count") > SPARE_PAGES) {
                shrink();
            } else {
                truncateLog();
                finish(null);
            }
        } catch (SQLException e) {
            log.warn("Compaction stopped; the next one goes on from here.", e);
            finish(database.explain(e));
        }
    }

    private void sweep() throws SQLException {
        long upTo = endOfStep();
        statement.executeUpdate("BEGIN IMMEDIATE");
        try {
            remove(removeSuperseded, upTo);
            remove(removeDeletes, upTo);
            setMeta("swept", upTo);
            statement.executeUpdate("COMMIT");
            swept = upTo;
        } catch (SQLException e) {
            rollback(e);
            throw e;
        }
    }

    private long endOfStep() throws SQLException {
        walk.setLong(1, swept);
        walk.setLong(2, head.compacted);
        int revisions = 0;
        long bytes = 0;
        try (ResultSet rows = walk.executeQuery()) {
            while (rows.next()) {
                bytes += rows.getLong(2);
                if (++revisions >= STEP_REVISIONS || bytes >= STEP_BYTES) {
                    return rows.getLong(1);
                }
            }
        }
        return head.compacted;
    }

    private void remove(PreparedStatement delete, long upTo) throws SQLException {
        delete.setLong(1, swept);
        delete.setLong(2, upTo);
        delete.executeUpdate();
    }

    private void setMeta(String name, long number) throws SQLException {
        setMeta.setLong(1, number);
        setMeta.setString(2, name);
        setMeta.executeUpdate();
    }

    private void rollback(SQLException cause) {
        try {
            statement.executeUpdate("ROLLBACK");
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** The pragma frees one page a row, so its rows must be read. */
    private void shrink() throws SQLException {
        drain("PRAGMA incremental_vacuum(" + STEP_PAGES + ")");
    }

    /** A reader at work keeps the file as it is until the next compaction; the writer does not wait for it. */
    private void truncateLog() throws SQLException {
        drain("PRAGMA busy_timeout = 0");
        try {
            drain("PRAGMA wal_checkpoint(TRUNCATE)");
        } finally {
            drain("PRAGMA busy_timeout = 3000");
        }
    }

    private void drain(String pragma) throws SQLException {
        if (statement.execute(pragma)) {
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    log.trace("{}: {}", pragma, rows.getObject(1));
                }
            }
        }
    }

    /** The store closes: who waits is told, and the walk goes on after the next open. */
    void abandon() {
        if (pending) {
            finish(new StoreException(Reason.CLOSED, "The store was closed before compaction was done.", null));
        }
    }

    private void finish(StoreException failure) {
        pending = false;
        for (CompletableFuture<Void> done : waiting) {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        }
        waiting.clear();
    }
}
