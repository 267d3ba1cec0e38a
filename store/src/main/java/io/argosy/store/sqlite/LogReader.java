package io.argosy.store.sqlite;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.ValueForm;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the log. A row is never changed, so a query that names its revision needs no
 * transaction to be consistent; only compaction can take rows away, and the caller checks afterwards that it did not.
 * Not for several threads at once.
 */
final class LogReader {
    private static final String GET = """
            SELECT key, value, created, revision, deleted FROM log
            WHERE key = ? AND revision <= ? ORDER BY revision DESC LIMIT 1""";

    private static final String LIVE_KEYS = """
            SELECT max(revision) AS newest, deleted FROM log INDEXED BY log_key
            WHERE key >= ? AND key < ? AND revision <= ? GROUP BY key""";

    // CROSS JOIN: walk the index in key order and fetch rows by revision, rather than sort values.
    private static final String LIST = "SELECT log.key, value, created, revision FROM (" + LIVE_KEYS
            + ") AS live CROSS JOIN log ON log.revision = live.newest WHERE NOT live.deleted LIMIT ?";

    private static final String COUNT = "SELECT count(*) FROM (" + LIVE_KEYS + ") WHERE NOT deleted";

    private static final String HISTORY = """
            SELECT l.key, l.value, l.created, l.revision, l.deleted, p.key, p.value, p.created, p.revision
            FROM log AS l NOT INDEXED LEFT JOIN log AS p ON p.revision = l.previous
            WHERE l.revision > ? AND l.revision <= ? AND l.key >= ? AND l.key < ? ORDER BY l.revision""";

    private static final int HISTORY_EVENTS = 1024;
    private static final long HISTORY_BYTES = 4 << 20;

    private final Statements statements;
    private final ValueForm form;

    LogReader(Statements statements, ValueForm form) {
        this.statements = statements;
        this.form = form;
    }

    Optional<Entry> get(String key, long revision) throws SQLException {
        try (ResultSet rows = statements.get(GET, key, revision).executeQuery()) {
            return rows.next() && rows.getInt(5) == 0 ? Optional.of(entry(rows, 1)) : Optional.empty();
        }
    }

    List<Entry> list(String prefix, String afterKey, long revision, int limit) throws SQLException {
        PreparedStatement query =
                statements.get(LIST, begin(prefix, afterKey), end(prefix), revision, limit == 0 ? -1 : limit);
        List<Entry> entries = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                entries.add(entry(rows, 1));
            }
        }
        return entries;
    }

    long count(String prefix, String afterKey, long revision) throws SQLException {
        PreparedStatement query = statements.get(COUNT, begin(prefix, afterKey), end(prefix), revision);
        try (ResultSet rows = query.executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** What happened to a prefix after one revision up to another: as much of it as is good to hold at once. */
    History history(String prefix, long after, long upTo) throws SQLException {
        PreparedStatement query = statements.get(HISTORY, after, upTo, prefix, end(prefix));
        List<Event> events = new ArrayList<>();
        long bytes = 0;
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                Event event = event(rows);
                events.add(event);
                bytes += size(event.current()) + size(event.previous());
                if (events.size() >= HISTORY_EVENTS || bytes >= HISTORY_BYTES) {
                    return new History(events, event.revision());
                }
            }
        }
        return new History(events, upTo);
    }

    /** Events, and the revision up to which they are complete. */
    record History(List<Event> events, long upTo) {}

    /** Where a list starts: at the prefix, or at the first key that can follow another. */
    private static String begin(String prefix, String afterKey) {
        return afterKey.isEmpty() ? prefix : afterKey + "\0";
    }

    /** The end of a prefix's keys: the last code point there is, never part of a text. */
    private static String end(String prefix) {
        return prefix + "\uDBFF\uDFFF";
    }

    private Event event(ResultSet rows) throws SQLException {
        Entry previous = rows.getLong(9) == 0 ? null : entry(rows, 6);
        return rows.getInt(5) == 0 ? Event.put(entry(rows, 1), previous) : Event.delete(previous, rows.getLong(4));
    }

    private Entry entry(ResultSet rows, int column) throws SQLException {
        String key = rows.getString(column);
        return new Entry(
                key,
                form.fromStored(key, rows.getBytes(column + 1)),
                rows.getLong(column + 2),
                rows.getLong(column + 3));
    }

    private static long size(Entry entry) {
        return entry == null ? 0 : entry.value().length;
    }
}
