package io.argosy.api.apply;

import java.util.Comparator;

/**
 * Who writes, in which way and through which door; fields are owned by one of these.
 *
 * @param apiVersion the version an updater wrote in; empty for appliers, who are the same in all versions
 * @param subresource empty for the object itself
 */
public record Manager(String name, Operation operation, String apiVersion, String subresource)
        implements Comparable<Manager> {
    private static final Comparator<Manager> ORDER = Comparator.comparing(Manager::name)
            .thenComparing(Manager::operation)
            .thenComparing(Manager::apiVersion)
            .thenComparing(Manager::subresource);

    /** Whether fields came by server-side apply or by any other write; constants are named as the API writes them. */
    public enum Operation {
        Apply,
        Update
    }

    public static Manager applier(String name, String subresource) {
        return new Manager(name, Operation.Apply, "", subresource);
    }

    public static Manager updater(String name, String apiVersion, String subresource) {
        return new Manager(name.isEmpty() ? "unknown" : name, Operation.Update, apiVersion, subresource);
    }

    public boolean applies() {
        return operation == Operation.Apply;
    }

    @Override
    public int compareTo(Manager other) {
        return ORDER.compare(this, other);
    }

    /** As messages name it. */
    @Override
    public String toString() {
        String quoted =
                com.fasterxml.jackson.databind.node.TextNode.valueOf(name).toString();
        String through = subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"";
        return quoted + through + (applies() ? "" : " using " + apiVersion);
    }
}
