package io.argosy.server.table;

/**
 * The head of a column.
 *
 * @param type of the cells as OpenAPI names it; clients only use it to align and to sort
 * @param format {@code name} for the column that names the object, else empty
 * @param priority 0 is always shown, 1 only when a client asks for a wide table
 */
public record Column(String name, String type, String format, String description, int priority) {}
