package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.selector.LabelSelector;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.convert.Converter;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The objects that set a policy, as its binding chooses them. */
final class Params {
    private Params() {}

    /** The choice cannot be made; the message says why. */
    static final class UnsettledException extends Exception {
        private static final long serialVersionUID = 1L;

        UnsettledException(String message) {
            super("failed to configure binding: " + message, null, false, false);
        }
    }

    /** One null where the policy has no parameters; empty where none are found and that is all right. */
    static List<JsonNode> find(Policy policy, Binding binding, String namespace, Registry registry)
            throws UnsettledException {
        JsonNode reference = binding.paramRef();
        if (!policy.paramKind().isObject() || !reference.isObject()) {
            return Collections.singletonList(null);
        }
        GroupVersionKind kind = GroupVersionKind.of(
                policy.paramKind().path("apiVersion").asText(),
                policy.paramKind().path("kind").asText());
        Optional<ResourceType> type = registry.types().find(kind);
        Optional<ResourceStore> store = type.flatMap(registry::store);
        if (store.isEmpty()) {
            throw new UnsettledException(
                    "paramKind kind `" + kind.apiVersion() + ", Kind=" + kind.kind() + "` not known");
        }
        List<JsonNode> found = new ArrayList<>();
        for (CachedObject one : candidates(store.get(), type.get(), reference, namespace)) {
            found.add(Converter.fromStorage(ApiObject.ofJson(one.json()).tree().deepCopy(), type.get()));
        }
        if (found.isEmpty()
                && reference.path("parameterNotFoundAction").asText().equals("Deny")) {
            throw new UnsettledException("no params found for policy binding with `Deny` parameterNotFoundAction");
        }
        return found;
    }

    private static List<CachedObject> candidates(
            ResourceStore store, ResourceType type, JsonNode reference, String namespace) throws UnsettledException {
        String place = place(type, reference.path("namespace").asText(""), namespace);
        String name = reference.path("name").asText("");
        if (!name.isEmpty()) {
            CachedObject one = store.find(place, name);
            return one == null ? List.of() : List.of(one);
        }
        LabelSelector selector = LabelSelector.of(reference.path("selector"));
        return store.snapshot(place).objects().stream()
                .filter(one -> selector.matches(one.labels()))
                .toList();
    }

    private static String place(ResourceType type, String given, String ofRequest) throws UnsettledException {
        if (!type.namespaced()) {
            if (!given.isEmpty()) {
                throw new UnsettledException(
                        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
            }
            return "";
        }
        if (!given.isEmpty()) {
            return given;
        }
        if (ofRequest.isEmpty()) {
            throw new UnsettledException(
                    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
        }
        return ofRequest;
    }

    /** The namespace of a write as expressions see it; null for what is in none. */
    static JsonNode namespace(Registry registry, String name) {
        CachedObject found =
                name.isEmpty() ? null : registry.store("", "namespaces").find("", name);
        if (found == null) {
            return null;
        }
        var namespace = Json.decodeObject(found.json());
        namespace.withObject("/metadata").remove(List.of("managedFields", "ownerReferences"));
        return namespace;
    }
}
