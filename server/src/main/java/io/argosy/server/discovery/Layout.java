package io.argosy.server.discovery;

import io.argosy.api.GroupVersion;
import io.argosy.api.kinds.ResourceTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which groups there are and which versions of each, the preferred ones first; those of other servers among our own, by their priorities. */
record Layout(Map<String, List<GroupVersion>> byGroup) {
    static Layout of(ResourceTypes types, List<Extension> extensions) {
        Map<String, List<GroupVersion>> byGroup = new LinkedHashMap<>();
        types.groups().forEach(group -> byGroup.put(group, new ArrayList<>(types.versions(group))));
        Map<GroupVersion, Integer> priorities = new HashMap<>();
        Map<String, Integer> groups = new HashMap<>();
        for (Extension extension : extensions) {
            priorities.put(extension.version(), extension.versionPriority());
            groups.merge(extension.version().group(), extension.groupPriority(), Math::max);
        }
        List<Extension> ranked = extensions.stream()
                .sorted(Comparator.<Extension>comparingInt(
                                one -> -groups.get(one.version().group()))
                        .thenComparing(one -> one.version().group())
                        .thenComparing(one -> -one.versionPriority())
                        .thenComparing(one -> one.version().version()))
                .toList();
        for (Extension extension : ranked) {
            List<GroupVersion> versions =
                    byGroup.computeIfAbsent(extension.version().group(), g -> new ArrayList<>());
            int at = 0;
            while (at < versions.size() && rank(versions.get(at), priorities) >= extension.versionPriority()) {
                at++;
            }
            versions.add(at, extension.version());
        }
        return new Layout(ordered(byGroup, types, groups));
    }

    private static int rank(GroupVersion version, Map<GroupVersion, Integer> priorities) {
        return priorities.getOrDefault(version, Priorities.ofVersion(version));
    }

    /** Our own groups stay in their order; each new one comes before the first that it outranks. */
    private static Map<String, List<GroupVersion>> ordered(
            Map<String, List<GroupVersion>> byGroup, ResourceTypes types, Map<String, Integer> foreign) {
        List<String> order = new ArrayList<>(types.groups());
        for (String group : byGroup.keySet()) {
            if (!order.contains(group)) {
                int at = 0;
                while (at < order.size()
                        && foreign.getOrDefault(order.get(at), Priorities.ofGroup(order.get(at)))
                                >= foreign.get(group)) {
                    at++;
                }
                order.add(at, group);
            }
        }
        Map<String, List<GroupVersion>> ordered = new LinkedHashMap<>();
        order.forEach(group -> ordered.put(group, List.copyOf(byGroup.get(group))));
        return ordered;
    }

    List<String> groups() {
        return List.copyOf(byGroup.keySet());
    }

    List<GroupVersion> versions(String group) {
        return byGroup.getOrDefault(group, List.of());
    }
}
