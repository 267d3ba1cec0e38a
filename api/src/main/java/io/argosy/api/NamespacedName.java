package io.argosy.api;

/** What identifies an object within its resource; the namespace of a cluster-scoped object is the empty string. */
public record NamespacedName(String namespace, String name) implements Comparable<NamespacedName> {
    public static NamespacedName of(String namespace, String name) {
        return new NamespacedName(namespace == null ? "" : namespace, name);
    }

    public static NamespacedName cluster(String name) {
        return new NamespacedName("", name);
    }

    @Override
    public int compareTo(NamespacedName other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
