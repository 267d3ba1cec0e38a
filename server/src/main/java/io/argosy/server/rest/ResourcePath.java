package io.argosy.server.rest;

import io.argosy.api.GroupVersion;
import java.util.Arrays;
import java.util.List;

/**
 * What the path of a resource request says. Empty strings stand for what it does not say.
 *
 * @param watches whether the path itself says that it is for watching, as paths did before there was a parameter for it
 */
record ResourcePath(
        GroupVersion version,
        boolean watches,
        String namespace,
        String resource,
        String name,
        String subresource,
        String rest) {

    /** Null if the path is not below a version of the API, or ends there. */
    static ResourcePath parse(String path) {
        List<String> parts = Arrays.asList(path.substring(1).split("/", -1));
        int from;
        GroupVersion version;
        if (parts.size() >= 3 && parts.getFirst().equals("api")) {
            version = new GroupVersion("", parts.get(1));
            from = 2;
        } else if (parts.size() >= 4 && parts.getFirst().equals("apis")) {
            version = new GroupVersion(parts.get(1), parts.get(2));
            from = 3;
        } else {
            return null;
        }
        List<String> below = parts.subList(from, parts.size());
        if (below.getFirst().isEmpty()) {
            return null;
        }
        boolean watches = below.getFirst().equals("watch") && below.size() > 1;
        if (watches) {
            below = below.subList(1, below.size());
        }
        if (below.getFirst().equals("namespaces") && below.size() > 2 && !isNamespaceSubresource(below.get(2))) {
            return of(version, watches, below.get(1), below.subList(2, below.size()));
        }
        return of(version, watches, "", below);
    }

    private static boolean isNamespaceSubresource(String segment) {
        return segment.equals("status") || segment.equals("finalize");
    }

    private static ResourcePath of(GroupVersion version, boolean watches, String namespace, List<String> parts) {
        return new ResourcePath(
                version,
                watches,
                namespace,
                parts.getFirst(),
                parts.size() > 1 ? parts.get(1) : "",
                parts.size() > 2 ? parts.get(2) : "",
                parts.size() > 3 ? String.join("/", parts.subList(3, parts.size())) : "");
    }
}
