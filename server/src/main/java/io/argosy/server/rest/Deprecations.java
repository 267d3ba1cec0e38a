package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import java.util.List;
import java.util.Map;

/** What clients are told who still use versions and kinds of old. */
final class Deprecations {
    private static final Map<String, String> CURRENT = Map.of(
            "componentstatuses", "v1 ComponentStatus is deprecated in v1.19+",
            "endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");

    /** In which release upstream stopped to serve what is only served here. */
    private static final Map<String, String> REMOVED = Map.ofEntries(
            Map.entry("apps/v1beta1", "1.16"),
            Map.entry("apps/v1beta2", "1.16"),
            Map.entry("extensions/v1beta1", "1.16"),
            Map.entry("extensions/v1beta1 Ingress", "1.22"),
            Map.entry("batch/v1beta1", "1.25"),
            Map.entry("rbac.authorization.k8s.io/v1beta1", "1.22"),
            Map.entry("apiextensions.k8s.io/v1beta1", "1.22"),
            Map.entry("admissionregistration.k8s.io/v1alpha1", "1.14"),
            Map.entry("settings.k8s.io/v1alpha1", "1.20"));

    private Deprecations() {}

    /** The release without the resource, empty if there is none yet; null for a resource whose time is not over. */
    static String removedIn(ResourceType type) {
        if (type.legacy()) {
            String version = type.groupVersion().toString();
            return REMOVED.getOrDefault(version + " " + type.kind(), REMOVED.getOrDefault(version, ""));
        }
        boolean over = type.isCustom() ? !type.custom().warnings().isEmpty() : isOld(type);
        return over ? "" : null;
    }

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
        return isOld(type) ? List.of(CURRENT.get(type.plural())) : List.of();
    }

    /** Asked at every request. */
    private static boolean isOld(ResourceType type) {
        return type.group().isEmpty() && CURRENT.containsKey(type.plural());
    }
}
