package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import io.argosy.server.cache.StoreCache;
import java.util.Map;
import java.util.Set;

/** Where objects stand in the store: the places upstream Kubernetes uses, so that either can read what the other wrote. */
final class StorageLayout {
    private static final Map<String, String> UNUSUAL = Map.of(
            "nodes", "minions",
            "services", "services/specs",
            "endpoints", "services/endpoints",
            "replicationcontrollers", "controllers",
            "ingresses.networking.k8s.io", "ingress");

    /** Groups whose objects upstream keeps below the group's name. */
    private static final Set<String> BY_GROUP = Set.of("apiextensions.k8s.io", "apiregistration.k8s.io");

    private StorageLayout() {}

    /** The prefix of all keys of a built-in resource, ending with a slash. */
    static String prefix(GroupResource resource) {
        String place = UNUSUAL.getOrDefault(resource.toString(), resource.resource());
        return StoreCache.ROOT + (BY_GROUP.contains(resource.group()) ? resource.group() + "/" : "") + place + "/";
    }

    /** The same of a custom resource. */
    static String customPrefix(GroupResource resource) {
        return StoreCache.ROOT + resource.group() + "/" + resource.resource() + "/";
    }
}
