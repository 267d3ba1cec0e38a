package io.argosy.api.kinds;

import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import java.util.List;
import java.util.Set;

/**
 * One resource in one API version: what discovery says of it, and in which version the store keeps its objects.
 *
 * @param verbs in alphabetical order, as discovery lists them
 * @param subresources in alphabetical order of their names
 * @param storageVersion the version objects are converted to before they are stored; may lie in another group
 * @param legacy whether this version is long gone upstream and served only so that old manifests work
 * @param habits what is unusual about its writes
 * @param custom what its definition says of the objects of a custom resource; null for built-in ones, whose schemas are published
 */
public record ResourceType(
        GroupVersion groupVersion,
        String kind,
        String plural,
        String singular,
        List<String> shortNames,
        List<String> categories,
        boolean namespaced,
        List<String> verbs,
        List<Subresource> subresources,
        GroupVersion storageVersion,
        boolean legacy,
        Set<WriteHabit> habits,
        CustomContent custom) {

    /**
     * A part of a resource with a path of its own, such as {@code pods/eviction}.
     *
     * @param kind what the subresource reads and writes, or the options it takes where it streams
     */
    public record Subresource(String name, GroupVersionKind kind, List<String> verbs) {
        public Subresource {
            verbs = List.copyOf(verbs);
        }
    }

    /** A built-in resource. */
    public ResourceType(
            GroupVersion groupVersion,
            String kind,
            String plural,
            String singular,
            List<String> shortNames,
            List<String> categories,
            boolean namespaced,
            List<String> verbs,
            List<Subresource> subresources,
            GroupVersion storageVersion,
            boolean legacy,
            Set<WriteHabit> habits) {
        this(
                groupVersion,
                kind,
                plural,
                singular,
                shortNames,
                categories,
                namespaced,
                verbs,
                subresources,
                storageVersion,
                legacy,
                habits,
                null);
    }

    public ResourceType {
        shortNames = List.copyOf(shortNames);
        categories = List.copyOf(categories);
        verbs = List.copyOf(verbs);
        subresources = List.copyOf(subresources);
        habits = Set.copyOf(habits);
    }

    public String group() {
        return groupVersion.group();
    }

    public String version() {
        return groupVersion.version();
    }

    public GroupVersionKind groupVersionKind() {
        return groupVersion.kind(kind);
    }

    public GroupVersionKind listKind() {
        return groupVersion.kind(custom == null ? kind + "List" : custom.listKind());
    }

    public boolean isCustom() {
        return custom != null;
    }

    public GroupResource groupResource() {
        return new GroupResource(group(), plural);
    }

    /** The name under which all versions and groups of the same objects share one place in the store. */
    public GroupResource storageResource() {
        return new GroupResource(storageVersion.group(), plural);
    }

    public boolean storedAsServed() {
        return storageVersion.equals(groupVersion);
    }

    public boolean can(String verb) {
        return verbs.contains(verb);
    }

    public boolean has(WriteHabit habit) {
        return habits.contains(habit);
    }

    /** The subresource of that name, or null where there is none. */
    public Subresource subresource(String name) {
        for (Subresource subresource : subresources) {
            if (subresource.name().equals(name)) {
                return subresource;
            }
        }
        return null;
    }
}
