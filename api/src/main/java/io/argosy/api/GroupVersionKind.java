package io.argosy.api;

/** The name of a type of object, as its {@code apiVersion} and {@code kind} fields give it. */
public record GroupVersionKind(String group, String version, String kind) {
    public static GroupVersionKind of(String apiVersion, String kind) {
        return GroupVersion.parse(apiVersion).kind(kind);
    }

    public GroupVersion groupVersion() {
        return new GroupVersion(group, version);
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    @Override
    public String toString() {
        return apiVersion() + ", Kind=" + kind;
    }
}
