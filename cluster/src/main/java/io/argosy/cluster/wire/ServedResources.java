package io.argosy.cluster.wire;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.argosy.api.kinds.ResourceType;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.server.ApiServer;
import io.argosy.server.PostStartHooks;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.discovery.Extension;
import io.argosy.server.registry.Registry;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the server serves, for controllers that deal with all kinds: each resource once, in the version it is stored in where that is served. */
public final class ServedResources implements ResourceCatalog {
    private final Registry registry;
    private final Aggregation aggregation;
    private final PostStartHooks postStart;

    public ServedResources(ApiServer server) {
        this.registry = server.registry();
        this.aggregation = server.aggregation();
        this.postStart = server.postStart();
    }

    @Override
    public List<ApiResource> resources() {
        Map<GroupResource, ResourceType> chosen = new LinkedHashMap<>();
        for (ResourceType type : registry.types().all()) {
            if (type.storedAsServed()) {
                chosen.put(type.groupResource(), type);
            } else if (type.isCustom()) {
                chosen.putIfAbsent(type.groupResource(), type);
            }
        }
        return chosen.values().stream()
                .map(type -> new ApiResource(
                        type.groupVersion(), type.plural(), type.kind(), type.namespaced(), Set.copyOf(type.verbs())))
                .toList();
    }

    /** In the version with the highest priority of its group that has it. */
    @Override
    public Elsewhere elsewhere() {
        Map<GroupResource, ApiResource> found = new LinkedHashMap<>();
        Map<GroupVersion, String> failures = new LinkedHashMap<>();
        List<Extension> byPriority = aggregation.extensions().stream()
                .sorted(Comparator.comparingInt(Extension::versionPriority).reversed())
                .toList();
        for (Extension extension : byPriority) {
            if (!extension.fresh()) {
                failures.put(extension.version(), "stale GroupVersion discovery: " + extension.version());
                continue;
            }
            for (JsonNode resource : extension.resources()) {
                ApiResource one = resource(extension.version(), resource);
                found.putIfAbsent(one.groupResource(), one);
            }
        }
        return new Elsewhere(List.copyOf(found.values()), failures);
    }

    private static ApiResource resource(GroupVersion version, JsonNode told) {
        Set<String> verbs = new HashSet<>();
        told.path("verbs").forEach(verb -> verbs.add(verb.asText()));
        return new ApiResource(
                version,
                told.path("resource").asText(),
                told.path("responseKind").path("kind").asText(),
                told.path("scope").asText().equals("Namespaced"),
                verbs);
    }

    @Override
    public void onceKnown(Runnable listener) {
        postStart.add(listener);
    }

    @Override
    public void onChange(Runnable listener) {
        registry.onChange(listener);
    }
}
