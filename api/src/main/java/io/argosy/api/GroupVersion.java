package io.argosy.api;

/** An API group and one of its versions; the group of the core API is the empty string. */
public record GroupVersion(String group, String version) {
    /** Parses {@code v1} or {@code apps/v1}. */
    public static GroupVersion parse(String apiVersion) {
        int slash = apiVersion.indexOf('/');
        return slash < 0
                ? new GroupVersion("", apiVersion)
                : new GroupVersion(apiVersion.substring(0, slash), apiVersion.substring(slash + 1));
    }

    public GroupVersionKind kind(String kind) {
        return new GroupVersionKind(group, version, kind);
    }

    /** The form used in {@code apiVersion} fields. */
    @Override
    public String toString() {
        return group.isEmpty() ? version : group + "/" + version;
    }
}
