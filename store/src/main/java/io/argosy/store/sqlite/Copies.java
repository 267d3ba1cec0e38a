package io.argosy.store.sqlite;

import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.sqlite.jdbc4.JDBC4Connection;

/** Copies of the database, taken while it is in use and seen to be whole. */
final class Copies {
    private Copies() {}

    /** On a connection of its own: readers and the writer see nothing of it. Only what is live is copied, without gaps. */
    static long write(Database database, Path file) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement copy = connection.prepareStatement("VACUUM INTO ?")) {
            copy.setString(1, file.toString());
            copy.execute();
        }
        try (Connection connection = open(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA journal_mode = WAL");
            statement.executeUpdate("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        check(file);
        try (Connection connection = open(file)) {
            return number(connection, """
                    SELECT max((SELECT coalesce(max(revision), 0) FROM log),
                    (SELECT number FROM meta WHERE name = 'compacted'))""");
        }
    }

    static void check(Path file) {
        String verdict;
        try (Connection connection = open(file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA integrity_check(1)")) {
            verdict = rows.next() ? rows.getString(1) : "no answer";
        } catch (SQLException e) {
            verdict = e.getMessage();
        }
        if (!verdict.equals("ok")) {
            throw new StoreException(Reason.CORRUPT, "The database " + file + " is damaged (" + verdict + ").", null);
        }
    }

    private static Connection open(Path file) throws SQLException {
        String uri = file.toUri().toString();
        return new JDBC4Connection("jdbc:sqlite:" + uri, uri, new Properties());
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }
}
