package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.crd.DefinedVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The schemas of custom resources as documents show them: what their authors wrote, completed by what every object has. */
final class CustomSchemas {
    static final String OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    static final String LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

    private static final String API_VERSION = "APIVersion defines which version of the API this object is written in.";
    private static final String KIND = "What kind of object this is.";
    private static final List<String> NOT_IN_V2 = List.of("nullable", "oneOf", "anyOf", "allOf", "not");

    private CustomSchemas() {}

    /** The group from its end: {@code com.example.stable.v1.CronTab}. */
    static String name(GroupVersionKind kind) {
        List<String> parts = new ArrayList<>(Arrays.asList(kind.group().split("\\.", -1)));
        Collections.reverse(parts);
        parts.add(kind.version());
        parts.add(kind.kind());
        return String.join(".", parts);
    }

    /** The definitions of a resource and of its list, by name; none for built-in resources. */
    static Map<String, ObjectNode> of(ResourceType type, SchemaForm form) {
        Map<String, ObjectNode> schemas = new TreeMap<>();
        if (type.custom() instanceof DefinedVersion version) {
            schemas.put(name(type.groupVersionKind()), object(version, type.groupVersionKind(), form));
            schemas.put(name(type.listKind()), list(type, form));
        }
        return schemas;
    }

    private static ObjectNode object(DefinedVersion version, GroupVersionKind kind, SchemaForm form) {
        ObjectNode schema = content(version, form);
        schema.putArray("x-kubernetes-group-version-kind").add(SchemaForm.kind(kind));
        return schema;
    }

    /** Where anything goes, no field is named, not even the common ones: kubectl would take those for all there are. */
    private static ObjectNode content(DefinedVersion version, SchemaForm form) {
        JsonNode source = version.schema();
        boolean open = version.preserving()
                || source.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        if (!source.isObject() || (open && form == SchemaForm.V2)) {
            return Json.object().put("type", "object");
        }
        ObjectNode schema = source.deepCopy();
        if (form == SchemaForm.V2) {
            forV2(schema);
        }
        schema.put("type", "object");
        ObjectNode properties =
                schema.get("properties") instanceof ObjectNode found ? found : schema.putObject("properties");
        properties.set("apiVersion", text(API_VERSION));
        properties.set("kind", text(KIND));
        properties.set(
                "metadata", reference(form, OBJECT_META, "Standard object's metadata: name, labels, owners and such."));
        return schema;
    }

    private static ObjectNode list(ResourceType type, SchemaForm form) {
        ObjectNode schema = Json.object()
                .put("description", type.listKind().kind() + " is a list of " + type.kind())
                .put("type", "object");
        schema.putArray("required").add("items");
        ObjectNode properties = schema.putObject("properties");
        properties.set("apiVersion", text(API_VERSION));
        properties.set("kind", text(KIND));
        properties.set("metadata", reference(form, LIST_META, "What every list has."));
        ObjectNode items =
                properties.putObject("items").put("description", "The objects.").put("type", "array");
        items.set("items", form.reference(name(type.groupVersionKind())));
        schema.putArray("x-kubernetes-group-version-kind").add(SchemaForm.kind(type.listKind()));
        return schema;
    }

    private static ObjectNode text(String description) {
        return Json.object().put("description", description).put("type", "string");
    }

    private static ObjectNode reference(SchemaForm form, String name, String description) {
        if (form == SchemaForm.V2) {
            return form.reference(name).put("description", description);
        }
        ObjectNode wrapped = Json.object().put("description", description);
        wrapped.putArray("allOf").add(form.reference(name));
        return wrapped;
    }

    /** The older dialect knows no null and no combinations; what it cannot say it must not say wrongly. */
    private static void forV2(ObjectNode schema) {
        boolean nullable = schema.path("nullable").asBoolean();
        boolean open = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        schema.remove(NOT_IN_V2);
        if (nullable) {
            schema.remove(List.of("type", "items", "properties", "additionalProperties"));
        }
        if (open) {
            schema.remove(List.of("items", "properties"));
        }
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            schema.remove("type");
        }
        schema.path("properties").forEach(below -> forV2((ObjectNode) below));
        if (schema.get("items") instanceof ObjectNode items) {
            forV2(items);
        }
        if (schema.get("additionalProperties") instanceof ObjectNode others) {
            forV2(others);
        } else {
            schema.remove("additionalProperties");
        }
    }
}
