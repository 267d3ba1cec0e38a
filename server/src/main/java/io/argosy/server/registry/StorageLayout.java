package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.server.cache.StoreCache;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where objects stand in the store: the places upstream Kubernetes uses, so that either can read what the other wrote. */
public final class StorageLayout {
    private static final Map<String, String> UNUSUAL = Map.of(
            "nodes", "minions",
            "services", "services/specs",
            "endpoints", "services/endpoints",
            "replicationcontrollers", "controllers",
            "ingresses.networking.k8s.io", "ingress");

    /** Groups whose objects upstream keeps below the group's name. */
    private static final Set<String> BY_GROUP = Set.of("apiextensions.k8s.io", "apiregistration.k8s.io");

    /** The built-in resources by what stands first in their keys, without the slash at its end. */
    private static final Map<String, GroupResource> BY_PLACE = byPlace();

    private static final GroupResource EVERYTHING = new GroupResource("", "");

    private StorageLayout() {}

    private static Map<String, GroupResource> byPlace() {
        Map<String, GroupResource> places = new HashMap<>();
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            String prefix = prefix(type.storageResource());
            places.put(prefix.substring(StoreCache.ROOT.length(), prefix.length() - 1), type.storageResource());
        }
        return places;
    }

    /** Which resource a key, or the prefix of keys, is of. */
    public static GroupResource resource(String key) {
        int start = StoreCache.ROOT.length();
        int slash = key.indexOf('/', start);
        if (slash < 0) {
            return EVERYTHING;
        }
        GroupResource plain = BY_PLACE.get(key.substring(start, slash));
        if (plain != null) {
            return plain;
        }
        int second = key.indexOf('/', slash + 1);
        if (second < 0) {
            return EVERYTHING;
        }
        GroupResource deeper = BY_PLACE.get(key.substring(start, second));
        return deeper != null
                ? deeper
                : new GroupResource(key.substring(start, slash), key.substring(slash + 1, second));
    }

    /** The prefix of all keys of a built-in resource, ending with a slash. */
    static String prefix(GroupResource resource) {
        String place = UNUSUAL.getOrDefault(resource.toString(), resource.resource());
        return StoreCache.ROOT + (BY_GROUP.contains(resource.group()) ? resource.group() + "/" : "") + place + "/";
    }

    /** The same of a custom resource. */
    static String customPrefix(GroupResource resource) {
        return StoreCache.ROOT + resource.group() + "/" + resource.resource() + "/";
    }

    /** The prefixes of the keys of resources that are named as configuration files do: {@code secrets}, {@code *.apps}, {@code *.*}. */
    public static List<String> prefixes(String name) {
        if (name.equals("*.*")) {
            return List.of(StoreCache.ROOT);
        }
        int dot = name.indexOf('.');
        String resource = dot < 0 ? name : name.substring(0, dot);
        String group = dot < 0 ? "" : name.substring(dot + 1);
        List<String> prefixes = new ArrayList<>();
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            GroupResource stored = type.storageResource();
            boolean named = resource.equals("*") || type.plural().equals(resource);
            if (named && type.group().equals(group) && !prefixes.contains(prefix(stored))) {
                prefixes.add(prefix(stored));
            }
        }
        if (resource.equals("*") && !group.isEmpty()) {
            prefixes.add(StoreCache.ROOT + group + "/");
        } else if (prefixes.isEmpty() && !group.isEmpty()) {
            prefixes.add(customPrefix(new GroupResource(group, resource)));
        }
        return List.copyOf(prefixes);
    }
}
