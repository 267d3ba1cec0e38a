package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import java.util.List;
import java.util.Map;

/** What clients are told who still use versions and kinds of old. */
final class Deprecations {
    private static final Map<String, String> CURRENT = Map.of(
            "componentstatuses", "v1 ComponentStatus is deprecated in v1.19+",
            "endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");

    private Deprecations() {}

    /** The warnings for a request on the resource; none for most. */
    static List<String> of(ResourceType type) {
        if (type.isCustom()) {
            return type.custom().warnings();
        }
        if (type.legacy()) {
            String old = type.groupVersion() + " " + type.kind() + " is deprecated";
            boolean successor = !type.storageVersion().equals(type.groupVersion());
            return List.of(successor ? old + "; use " + type.storageVersion() + " " + type.kind() : old);
        }
        String warning = CURRENT.get(type.groupResource().toString());
        return warning == null ? List.of() : List.of(warning);
    }
}
