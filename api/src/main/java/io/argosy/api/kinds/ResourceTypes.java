package io.argosy.api.kinds;

import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The catalogue of resources, in discovery order; immutable, so that a changed set of kinds is a new catalogue. */
public final class ResourceTypes {
    private final List<ResourceType> all;
    private final Map<GroupVersion, List<ResourceType>> byVersion = new LinkedHashMap<>();
    private final Map<String, List<GroupVersion>> versionsByGroup = new LinkedHashMap<>();
    private final Map<GroupVersionKind, ResourceType> byKind = new HashMap<>();

    public ResourceTypes(List<ResourceType> types) {
        this.all = List.copyOf(types);
        for (ResourceType type : all) {
            byVersion
                    .computeIfAbsent(type.groupVersion(), v -> new ArrayList<>())
                    .add(type);
            byKind.put(type.groupVersionKind(), type);
        }
        for (GroupVersion version : byVersion.keySet()) {
            versionsByGroup
                    .computeIfAbsent(version.group(), g -> new ArrayList<>())
                    .add(version);
        }
    }

    /** The resources every server has before any custom one is defined. */
    public static ResourceTypes builtIn() {
        return BuiltIn.CATALOGUE;
    }

    /** All resources: the core group first, then the groups by priority, in each the preferred version first. */
    public List<ResourceType> all() {
        return all;
    }

    /** The groups in order of priority, the core group (empty name) first. */
    public List<String> groups() {
        return List.copyOf(versionsByGroup.keySet());
    }

    /** The versions of a group, the preferred one first; empty for an unknown group. */
    public List<GroupVersion> versions(String group) {
        return List.copyOf(versionsByGroup.getOrDefault(group, List.of()));
    }

    /** All served group versions in discovery order. */
    public List<GroupVersion> groupVersions() {
        return List.copyOf(byVersion.keySet());
    }

    /** The resources of one version in the order discovery lists them; empty for an unknown version. */
    public List<ResourceType> in(GroupVersion version) {
        return List.copyOf(byVersion.getOrDefault(version, List.of()));
    }

    public Optional<ResourceType> find(GroupVersion version, String plural) {
        for (ResourceType type : byVersion.getOrDefault(version, List.of())) {
            if (type.plural().equals(plural)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    public Optional<ResourceType> find(GroupVersionKind kind) {
        return Optional.ofNullable(byKind.get(kind));
    }

    /** Finds the same resource in the version in which the store keeps it. */
    public ResourceType stored(ResourceType type) {
        return type.storedAsServed()
                ? type
                : find(type.storageVersion(), type.plural())
                        .orElseThrow(() -> new IllegalStateException(
                                type.plural() + " are stored as " + type.storageVersion() + ", which is not served"));
    }

    /** Read on first use only, so that programs that never ask do not pay for it. */
    private static final class BuiltIn {
        static final ResourceTypes CATALOGUE = new ResourceTypes(ResourceTable.read("resources.txt"));
    }
}
