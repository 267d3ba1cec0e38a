package io.argosy.api;

/** The name under which objects are addressed in URLs, independent of version: {@code deployments.apps}. */
public record GroupResource(String group, String resource) {
    @Override
    public String toString() {
        return group.isEmpty() ? resource : resource + "." + group;
    }
}
