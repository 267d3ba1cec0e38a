package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
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

    private static final String WALK = """
            SELECT l.revision, length(p.value) FROM log AS l LEFT JOIN log AS p ON p.revision = l.previous
            WHERE l.revision > ? AND l.revision <= ? ORDER BY l.revision""";

    private static final String REMOVE_SUPERSEDED = """
            DELETE FROM log WHERE revision IN
            (SELECT previous FROM log WHERE revision > ? AND revision <= ? AND previous > 0)""";

    private static final String REMOVE_DELETES = "DELETE FROM log WHERE revision > ? AND revision <= ? AND deleted";

    private static final String SET_META = "UPDATE meta SET number = ? WHERE name = ?";

    private final Database database;
    private final Head head;
    private final Statements statements;
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private long swept;
    private boolean pending;

    Compaction(Database database, Statements statements, Head head) throws SQLException {
        this.database = database;
        this.statements = statements;
        this.head = head;
        this.swept = database.number("SELECT number FROM meta WHERE name = 'swept'");
        this.pending = swept < head.compacted;
    }

    boolean pending() {
        return pending;
    }

    /** Readers are told before the first row goes, so that none takes a gap for the truth. */
    void begin(long revision, CompletableFuture<Void> done) {
        try {
            if (revision > head.compacted) {
                statements.get(SET_META, revision, "compacted").executeUpdate();
                head.compacted = revision;
            }
            waiting.add(done);
            pending = true;
        } catch (SQLException e) {
            statements.rollback(e);
            done.completeExceptionally(database.explain(e));
        }
    }

    void step() {
        try {
            if (swept < head.compacted) {
                sweep();
            } else if (database.number("PRAGMA freelist_count") > SPARE_PAGES) {
                shrink();
            } else {
                truncateLog();
                finish(null);
            }
        } catch (SQLException e) {
            statements.rollback(e);
            log.warn("Compaction stopped; the next one goes on from here.", e);
            finish(database.explain(e));
        }
    }

    private void sweep() throws SQLException {
        long upTo = endOfStep();
        statements.get("BEGIN IMMEDIATE").execute();
        statements.get(REMOVE_SUPERSEDED, swept, upTo).executeUpdate();
        statements.get(REMOVE_DELETES, swept, upTo).executeUpdate();
        statements.get(SET_META, upTo, "swept").executeUpdate();
        statements.get("COMMIT").execute();
        swept = upTo;
    }

    private long endOfStep() throws SQLException {
        int revisions = 0;
        long bytes = 0;
        try (ResultSet rows = statements.get(WALK, swept, head.compacted).executeQuery()) {
            while (rows.next()) {
                bytes += rows.getLong(2);
                if (++revisions >= STEP_REVISIONS || bytes >= STEP_BYTES) {
                    return rows.getLong(1);
                }
            }
        }
        return head.compacted;
    }

    /** As an update, because the pragma frees one page a row and only this way are all its rows taken. */
    private void shrink() throws SQLException {
        database.execute("PRAGMA incremental_vacuum(" + STEP_PAGES + ")");
    }

    /** A reader at work keeps the file as it is until the next compaction; the writer does not wait for it. */
    private void truncateLog() throws SQLException {
        database.execute("PRAGMA busy_timeout = 0");
        try {
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        } finally {
            database.execute("PRAGMA busy_timeout = 3000");
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
