package io.argosy.api.kinds;

import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The catalogue of resources, in discovery order; immutable, so that a changed set of kinds is a new catalogue. */
public final class ResourceTypes {
    private final List<ResourceType> all;
    private final Map<String, Map<String, List<ResourceType>>> byGroup = new LinkedHashMap<>();

    public ResourceTypes(List<ResourceType> types) {
        this.all = List.copyOf(types);
        for (ResourceType type : all) {
            byGroup.computeIfAbsent(type.group(), g -> new LinkedHashMap<>())
                    .computeIfAbsent(type.version(), v -> new ArrayList<>())
                    .add(type);
        }
    }

    /** The resources every server has before any custom one is defined. */
    public static ResourceTypes builtIn() {
        return BuiltIn.CATALOGUE;
    }

    /** A catalogue with more resources at the end, in the order they are given. */
    public ResourceTypes with(List<ResourceType> more) {
        List<ResourceType> types = new ArrayList<>(all);
        types.addAll(more);
        return new ResourceTypes(types);
    }

    /** A catalogue without the resources of these versions. */
    public ResourceTypes without(Collection<GroupVersion> versions) {
        return new ResourceTypes(all.stream()
                .filter(type -> !versions.contains(type.groupVersion()))
                .toList());
    }

    /** All resources: the core group first, then the groups by priority, in each the preferred version first. */
    public List<ResourceType> all() {
        return all;
    }

    /** The groups in order of priority, the core group (empty name) first. */
    public List<String> groups() {
        return List.copyOf(byGroup.keySet());
    }

    /** The versions of a group, the preferred one first; empty for an unknown group. */
    public List<GroupVersion> versions(String group) {
        List<GroupVersion> versions = new ArrayList<>();
        for (String version : byGroup.getOrDefault(group, Map.of()).keySet()) {
            versions.add(new GroupVersion(group, version));
        }
        return List.copyOf(versions);
    }

    /** All served group versions in discovery order. */
    public List<GroupVersion> groupVersions() {
        List<GroupVersion> versions = new ArrayList<>();
        for (String group : byGroup.keySet()) {
            versions.addAll(versions(group));
        }
        return List.copyOf(versions);
    }

    /** The resources of one version in the order discovery lists them; empty for an unknown version. */
    public List<ResourceType> in(GroupVersion version) {
        return Collections.unmodifiableList(
                byGroup.getOrDefault(version.group(), Map.of()).getOrDefault(version.version(), List.of()));
    }

    public Optional<ResourceType> find(GroupVersion version, String plural) {
        for (ResourceType type : in(version)) {
            if (type.plural().equals(plural)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    public Optional<ResourceType> find(GroupVersionKind kind) {
        for (ResourceType type : in(kind.groupVersion())) {
            if (type.kind().equals(kind.kind())) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
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
