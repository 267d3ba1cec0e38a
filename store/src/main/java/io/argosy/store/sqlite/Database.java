package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.sqlite.SQLiteException;
import org.sqlite.jdbc4.JDBC4Connection;

/** The database file: its shape, how connections to it are made, and what its errors mean to a person. */
final class Database {
    private static final int APPLICATION_ID = 0x4172676f; // "Argo", what file(1) shows
    private static final int VERSION = 1;

    /** A database as small as this is checked whole after a crash; a larger one would delay the start. */
    private static final long CHECKED_SIZE = 4 << 20;

    /**
     * The log is everything: one row a write, a delete included. The value stands last so that reading the other columns
     * never touches the pages it overflows into. A row knows the revision of the version it replaced, so that a watch
     * can show it and compaction finds what is superseded by walking the log. A new store begins at revision 1.
     */
    private static final String SCHEMA = """
            CREATE TABLE log (
                revision INTEGER PRIMARY KEY,
                key TEXT NOT NULL,
                created INTEGER NOT NULL,
                previous INTEGER NOT NULL,
                deleted INTEGER NOT NULL,
                value BLOB NOT NULL
            );
            CREATE INDEX log_key ON log (key, revision, deleted);
            CREATE TABLE meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO meta VALUES ('compacted', 1), ('swept', 1);
            """;

    private final Path file;
    private final Connection writer;

    private Database(Path file) throws SQLException {
        this.file = file;
        this.writer = connect();
    }

    /** Makes the file if it is not there, and sees that it is one of ours and whole. */
    static Database open(Path folder) throws IOException {
        Path file = folder.resolve("store.db");
        Path wal = folder.resolve("store.db-wal");
        boolean crashed = Files.exists(wal) && Files.size(wal) > 0;
        Modes.createFile(file);
        if (!Files.isWritable(file)) {
            throw new AccessDeniedException(file.toString());
        }
        try {
            Database database = new Database(file);
            try {
                database.prepare(crashed && Files.size(file) <= CHECKED_SIZE);
                return database;
            } catch (SQLException | RuntimeException e) {
                database.writer.close();
                throw e;
            }
        } catch (SQLException e) {
            throw explain(file, e);
        }
    }

    private void prepare(boolean check) throws SQLException {
        migrate();
        if (check) {
            check();
        }
        execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
    }

    /** The one connection that writes. */
    Connection writer() {
        return writer;
    }

    /** Another connection, for reading. */
    Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("open_mode", Integer.toString(0x2 | 0x8000)); // read-write, one thread at a time
        properties.setProperty("jdbc.get_generated_keys", "false"); // else each insert costs a query more
        String uri = file.toUri().toString(); // quoted, so that a name may hold any character
        return new JDBC4Connection("jdbc:sqlite:" + uri, uri, properties);
    }

    private void migrate() throws SQLException {
        long version = number("PRAGMA user_version");
        if (version > VERSION) {
            throw new StoreException(
                    Reason.NEWER_VERSION,
                    "The database " + file + " was written by a newer version (format " + version
                            + ", this one knows up to " + VERSION
                            + "): start that version again, or choose another folder.",
                    null);
        }
        if (version == 0) {
            if (number("SELECT count(*) FROM sqlite_schema") > 0) {
                throw new StoreException(
                        Reason.CORRUPT,
                        "The file " + file
                                + " is a database of another program: move it away, or choose another folder.",
                        null);
            }
            execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;");
            execute("BEGIN;" + SCHEMA + "PRAGMA application_id = " + APPLICATION_ID + "; PRAGMA user_version = "
                    + VERSION + "; COMMIT");
        }
    }

    private void check() throws SQLException {
        try (Statement statement = writer.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA quick_check(1)")) {
            String verdict = rows.next() ? rows.getString(1) : "no answer";
            if (!verdict.equals("ok")) {
                throw damaged(file, verdict, null);
            }
        }
    }

    /** Runs one or more statements to their end, on the writing connection. */
    void execute(String sql) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** Asks for one number, on the writing connection. */
    long number(String query) throws SQLException {
        try (Statement statement = writer.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    StoreException explain(SQLException e) {
        return explain(file, e);
    }

    /** Says what an error of SQLite means and what to do about it. */
    private static StoreException explain(Path file, SQLException e) {
        int code = e instanceof SQLiteException sqlite ? sqlite.getResultCode().code & 0xff : 0;
        return switch (code) {
            case 13 -> full(file, e); // SQLITE_FULL
            case 11, 26 -> damaged(file, e.getMessage(), e); // SQLITE_CORRUPT, SQLITE_NOTADB
            case 3, 8, 14 -> // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
                noRoom(file) ? full(file, e) : noPermission(file, e);
            default ->
                noRoom(file)
                        ? full(file, e)
                        : new StoreException(
                                Reason.UNAVAILABLE,
                                "The database " + file + " could not be used (" + e.getMessage()
                                        + "): look at the disk it is on, then try again.",
                                e);
        };
    }

    static StoreException noPermission(Path path, Exception e) {
        return new StoreException(
                Reason.NO_PERMISSION,
                "No permission to write " + path + ": run as its owner, or choose another folder.",
                e);
    }

    static StoreException full(Path path, Exception e) {
        return new StoreException(
                Reason.NO_SPACE,
                "The disk of " + path
                        + " is full: writes are refused until there is room; nothing acknowledged is lost.",
                e);
    }

    private static StoreException damaged(Path file, String how, SQLException e) {
        return new StoreException(
                Reason.CORRUPT,
                "The database " + file + " is damaged (" + how
                        + "): put back a backup, or move it away to start empty; it was left as it is.",
                e);
    }

    /** A full disk shows as many errors beside SQLITE_FULL, for one when shared memory cannot grow. */
    private static boolean noRoom(Path file) {
        try {
            return Files.getFileStore(file).getUsableSpace() < 64 << 10;
        } catch (IOException e) {
            return false;
        }
    }
}
