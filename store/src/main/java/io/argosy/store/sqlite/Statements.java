package io.argosy.store.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * The prepared statements of one connection, each made when first asked for. The driver destroys a statement that
 * failed, so whoever meets an error forgets them all; the next use makes them anew.
 */
final class Statements {
    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    Statements(Connection connection) {
        this.connection = connection;
    }

    PreparedStatement get(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    /** Prepares a statement and sets its parameters: numbers, texts or bytes. */
    PreparedStatement get(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = get(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    /** Ends the transaction that failed, and the statements with it. */
    void rollback(Throwable cause) {
        for (PreparedStatement statement : prepared.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                cause.addSuppressed(e);
            }
        }
        prepared.clear();
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("ROLLBACK");
        } catch (SQLException e) {
            cause.addSuppressed(e); // SQLite had rolled back by itself
        }
    }
}
