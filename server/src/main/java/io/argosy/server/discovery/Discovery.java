package io.argosy.server.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceType.Subresource;
import io.argosy.api.kinds.ResourceTypes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells clients which resources there are: group by group as of old, and all in one document. */
public final class Discovery {
    private final ResourceTypes types;
    private final Layout layout;
    private final Map<GroupVersion, Extension> extensions = new HashMap<>();
    private final String serverAddress;

    /** Of what is served here, and of what other servers answer for. */
    public Discovery(ResourceTypes types, List<Extension> extensions, String serverAddress) {
        this.types = types;
        this.layout = Layout.of(types, extensions);
        extensions.forEach(one -> this.extensions.put(one.version(), one));
        this.serverAddress = serverAddress;
    }

    /** {@code /api}: the versions of the core group. */
    public ObjectNode coreVersions() {
        ObjectNode versions = Json.object().put("kind", "APIVersions");
        strings(
                versions,
                "versions",
                types.versions("").stream().map(GroupVersion::version).toList());
        versions.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", serverAddress);
        return versions;
    }

    /** {@code /apis}: the named groups. */
    public ObjectNode groups() {
        ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        for (String group : layout.groups()) {
            if (!group.isEmpty()) {
                groups.add(groupBody(group));
            }
        }
        return list;
    }

    /** {@code /apis/apps}: one group. */
    public Optional<ObjectNode> group(String group) {
        if (group.isEmpty() || layout.versions(group).isEmpty()) {
            return Optional.empty();
        }
        ObjectNode found = Json.object().put("kind", "APIGroup").put("apiVersion", "v1");
        found.setAll(groupBody(group));
        return Optional.of(found);
    }

    private ObjectNode groupBody(String group) {
        ObjectNode body = Json.object().put("name", group);
        ArrayNode versions = body.putArray("versions");
        for (GroupVersion version : layout.versions(group)) {
            versions.add(versionBody(version));
        }
        body.set("preferredVersion", versionBody(layout.versions(group).getFirst()));
        return body;
    }

    private static ObjectNode versionBody(GroupVersion version) {
        return Json.object().put("groupVersion", version.toString()).put("version", version.version());
    }

    /** All versions, in the order in which they are told of. */
    public List<GroupVersion> groupVersions() {
        return layout.groups().stream()
                .flatMap(group -> layout.versions(group).stream())
                .toList();
    }

    /** {@code /apis/apps/v1}: the resources of one version. */
    public Optional<ObjectNode> resources(GroupVersion version) {
        List<ResourceType> found = types.in(version);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode list = Json.object().put("kind", "APIResourceList").put("apiVersion", "v1");
        list.put("groupVersion", version.toString());
        ArrayNode resources = list.putArray("resources");
        for (ResourceType type : found) {
            ObjectNode resource = resources
                    .addObject()
                    .put("name", type.plural())
                    .put("singularName", type.singular())
                    .put("namespaced", type.namespaced())
                    .put("kind", type.kind());
            strings(resource, "verbs", type.verbs());
            names(resource, type);
            for (Subresource subresource : type.subresources()) {
                subresource(resources, type, subresource);
            }
        }
        return Optional.of(list);
    }

    private static void subresource(ArrayNode resources, ResourceType type, Subresource subresource) {
        GroupVersionKind kind = subresource.kind();
        ObjectNode body = resources
                .addObject()
                .put("name", type.plural() + "/" + subresource.name())
                .put("singularName", "")
                .put("namespaced", type.namespaced());
        if (!kind.groupVersion().equals(type.groupVersion())) {
            body.put("group", kind.group()).put("version", kind.version());
        }
        body.put("kind", kind.kind());
        strings(body, "verbs", subresource.verbs());
    }

    /** All groups, or the core group alone, with all their resources: {@code apidiscovery.k8s.io}. */
    public ObjectNode aggregated(boolean core, String version) {
        ObjectNode list =
                Json.object().put("kind", "APIGroupDiscoveryList").put("apiVersion", "apidiscovery.k8s.io/" + version);
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (String group : layout.groups()) {
            if (group.isEmpty() == core) {
                ObjectNode item = items.addObject();
                ObjectNode metadata = item.putObject("metadata");
                if (!group.isEmpty()) {
                    metadata.put("name", group);
                }
                ArrayNode versions = item.putArray("versions");
                layout.versions(group).forEach(served -> aggregatedVersion(versions.addObject(), served));
            }
        }
        return list;
    }

    private void aggregatedVersion(ObjectNode body, GroupVersion version) {
        body.put("version", version.version());
        Extension extension = extensions.get(version);
        if (extension != null) {
            body.set("resources", extension.resources());
            body.put("freshness", extension.fresh() ? "Current" : "Stale");
            return;
        }
        ArrayNode resources = body.putArray("resources");
        for (ResourceType type : types.in(version)) {
            ObjectNode resource = resources.addObject().put("resource", type.plural());
            kind(resource, type.groupVersionKind(), version);
            resource.put("scope", type.namespaced() ? "Namespaced" : "Cluster")
                    .put("singularResource", type.singular());
            strings(resource, "verbs", type.verbs());
            names(resource, type);
            if (!type.subresources().isEmpty()) {
                ArrayNode subresources = resource.putArray("subresources");
                for (Subresource subresource : type.subresources()) {
                    ObjectNode one = subresources.addObject().put("subresource", subresource.name());
                    kind(one, subresource.kind(), version);
                    strings(one, "verbs", subresource.verbs());
                }
            }
        }
        body.put("freshness", "Current");
    }

    /** Of which version it is stands there only where that is another than its resource's. */
    private static void kind(ObjectNode body, GroupVersionKind kind, GroupVersion resource) {
        boolean own = kind.groupVersion().equals(resource);
        body.putObject("responseKind")
                .put("group", own ? "" : kind.group())
                .put("version", own ? "" : kind.version())
                .put("kind", kind.kind());
    }

    /** An old group has no short names and categories: they lead to the resource in its present group, and to that only. */
    private static void names(ObjectNode resource, ResourceType type) {
        if (!type.legacy() || type.group().equals(type.storageVersion().group())) {
            stringsUnlessEmpty(resource, "shortNames", type.shortNames());
            stringsUnlessEmpty(resource, "categories", type.categories());
        }
    }

    private static void strings(ObjectNode object, String field, List<String> values) {
        ArrayNode array = object.putArray(field);
        values.forEach(array::add);
    }

    private static void stringsUnlessEmpty(ObjectNode object, String field, List<String> values) {
        if (!values.isEmpty()) {
            strings(object, field, values);
        }
    }
}
