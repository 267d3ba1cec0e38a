package io.argosy.server.crd;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceType.Subresource;
import io.argosy.api.kinds.VersionOrder;
import io.argosy.api.kinds.WriteHabit;
import io.argosy.server.registry.Registry.CustomResource;
import io.argosy.server.webhook.WebhookClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A definition as it is stored, and the custom resource that it makes; the schemas are compiled when the first object needs them. */
final class Definition {
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    private static final List<String> SUBRESOURCE_VERBS = List.of("get", "patch", "update");
    private static final ObjectMapper HEADS = new ObjectMapper(Json.factory());
    private static final GroupVersionKind SCALE = new GroupVersionKind("autoscaling", "v1", "Scale");

    /** The definition without its schemas, which are most of it. */
    private final JsonNode tree;

    private final byte[] json;

    private Definition(JsonNode tree, byte[] json) {
        this.tree = tree;
        this.json = json;
    }

    static Definition read(byte[] json) {
        try (JsonParser parser = new FilteringParserDelegate(
                Json.parser(json), new WithoutSchemas(), TokenFilter.Inclusion.INCLUDE_ALL_AND_PATH, true)) {
            return new Definition(HEADS.readTree(parser), json);
        } catch (IOException e) {
            throw new UncheckedIOException("a stored definition is not JSON", e);
        }
    }

    /** The same with another status. */
    Definition with(ObjectNode status) {
        ObjectNode changed = tree.deepCopy();
        changed.set("status", status);
        return new Definition(changed, json);
    }

    /** Leaves out what is large and not needed to serve the first request. */
    private static final class WithoutSchemas extends TokenFilter {
        private static final Set<String> LARGE = Set.of("openAPIV3Schema", "managedFields", "annotations");

        @Override
        public TokenFilter includeProperty(String name) {
            return LARGE.contains(name) ? null : this;
        }

        @Override
        public boolean includeEmptyArray(boolean contentsFiltered) {
            return true;
        }

        @Override
        public boolean includeEmptyObject(boolean contentsFiltered) {
            return true;
        }

        @Override
        protected boolean _includeScalar() {
            return true;
        }
    }

    /** Everything, schemas included. */
    ObjectNode whole() {
        return Json.decodeObject(json);
    }

    String name() {
        return tree.path("metadata").path("name").asText();
    }

    String uid() {
        return tree.path("metadata").path("uid").asText();
    }

    GroupResource groupResource() {
        return new GroupResource(group(), spec().path("names").path("plural").asText());
    }

    String group() {
        return spec().path("group").asText();
    }

    JsonNode spec() {
        return tree.path("spec");
    }

    JsonNode status() {
        return tree.path("status");
    }

    boolean isBeingDeleted() {
        return tree.path("metadata").hasNonNull("deletionTimestamp");
    }

    boolean hasFinalizer(String finalizer) {
        for (JsonNode one : tree.path("metadata").path("finalizers")) {
            if (one.asText().equals(finalizer)) {
                return true;
            }
        }
        return false;
    }

    boolean is(String condition) {
        return conditionIs(status(), condition, "True");
    }

    static boolean conditionIs(JsonNode status, String condition, String value) {
        for (JsonNode one : status.path("conditions")) {
            if (one.path("type").asText().equals(condition)) {
                return one.path("status").asText().equals(value);
            }
        }
        return false;
    }

    /** What decides how the resource is served: two definitions with the same are served alike. */
    String fingerprint() {
        return uid() + "/" + tree.path("metadata").path("generation").asLong() + "/"
                + status().path("acceptedNames").hashCode() + "/" + is("Terminating");
    }

    /** Versions as clients prefer them: stable before beta before alpha, newer before older. */
    List<JsonNode> versions() {
        List<JsonNode> versions = new ArrayList<>();
        spec().path("versions").forEach(versions::add);
        versions.sort((one, other) -> VersionOrder.compare(
                one.path("name").asText(), other.path("name").asText()));
        return versions;
    }

    private JsonNode schema(String version) {
        for (JsonNode one : whole().path("spec").path("versions")) {
            if (one.path("name").asText().equals(version)) {
                return schemaOf(one);
            }
        }
        return MissingNode.getInstance();
    }

    static JsonNode schemaOf(JsonNode version) {
        return version.path("schema").path("openAPIV3Schema");
    }

    /** Only several versions need a webhook between them. */
    private VersionConversion conversion(WebhookClient webhooks) {
        JsonNode conversion = spec().path("conversion");
        boolean asks = conversion.path("strategy").asText().equals("Webhook")
                && spec().path("versions").size() > 1;
        return asks ? new ConversionWebhook(webhooks, name(), conversion.path("webhook")) : VersionConversion.BY_NAME;
    }

    /** The resource as it is to be served. */
    CustomResource resource(WebhookClient webhooks) {
        VersionConversion conversion = conversion(webhooks);
        JsonNode names = status().path("acceptedNames");
        boolean preserving = spec().path("preserveUnknownFields").asBoolean();
        String storage = "";
        for (JsonNode version : spec().path("versions")) {
            storage = version.path("storage").asBoolean() ? version.path("name").asText() : storage;
        }
        GroupVersion stored = new GroupVersion(group(), storage);
        List<ResourceType> served = new ArrayList<>();
        ResourceType storedType = null;
        Map<String, DefinedVersion> contents = new HashMap<>();
        for (JsonNode version : versions()) {
            ResourceType type = type(version, names, stored, preserving, conversion);
            if (version.path("served").asBoolean()) {
                served.add(type);
                contents.put(type.groupVersion().toString(), (DefinedVersion) type.custom());
            }
            if (type.storedAsServed()) {
                storedType = type;
            }
        }
        DefinedVersion content = (DefinedVersion) storedType.custom();
        return new CustomResource(
                storedType,
                served,
                new CustomResourceStrategy(content, contents, is("Terminating")),
                form(storedType, content));
    }

    private ResourceType type(
            JsonNode version, JsonNode names, GroupVersion stored, boolean preserving, VersionConversion conversion) {
        GroupVersion groupVersion =
                new GroupVersion(group(), version.path("name").asText());
        String kind = names.path("kind").asText();
        List<Subresource> subresources = new ArrayList<>();
        if (version.path("subresources").has("scale")) {
            subresources.add(new Subresource("scale", SCALE, SUBRESOURCE_VERBS));
        }
        if (version.path("subresources").has("status")) {
            subresources.add(new Subresource("status", groupVersion.kind(kind), SUBRESOURCE_VERBS));
        }
        return new ResourceType(
                groupVersion,
                kind,
                names.path("plural").asText(),
                names.path("singular").asText(),
                texts(names.path("shortNames")),
                texts(names.path("categories")),
                spec().path("scope").asText().equals("Namespaced"),
                VERBS,
                subresources,
                stored,
                false,
                Set.of(WriteHabit.PUT_VERSIONED),
                new DefinedVersion(
                        groupVersion.kind(kind),
                        names.path("listKind").asText(),
                        version,
                        () -> schema(groupVersion.version()),
                        preserving,
                        fingerprint(),
                        conversion));
    }

    /** Objects may have been stored in another version, or before the schema knew what it knows now. */
    private static UnaryOperator<byte[]> form(ResourceType stored, DefinedVersion content) {
        String apiVersion = stored.groupVersion().toString();
        return bytes -> {
            ObjectNode before = Json.decodeObject(bytes);
            if (content.isConvertedByOthers()
                    && !before.path("apiVersion").asText().equals(apiVersion)) {
                return bytes; // who knows how to convert it is asked when somebody reads it
            }
            ObjectNode object = before.deepCopy();
            object.put("apiVersion", apiVersion).put("kind", stored.kind());
            content.settle(object);
            return object.equals(before) ? bytes : Json.encode(object);
        };
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }
}
