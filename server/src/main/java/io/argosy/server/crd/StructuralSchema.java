package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.apply.Shape;
import io.argosy.api.schema.Schemas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One node of the schema of a custom resource, read once and walked for every object. Immutable. */
final class StructuralSchema {
    static final String OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

    private static final StructuralSchema ANYTHING = new StructuralSchema(null);

    private final JsonNode source;
    private final String type;
    private final boolean nullable;
    private final boolean preserving;
    private final boolean embedded;
    private final boolean intOrString;
    private final Map<String, StructuralSchema> properties;
    private final StructuralSchema additional;
    private final StructuralSchema items;
    private final JsonNode defaultValue;
    private final String listType;
    private final boolean atomicMap;
    private final List<String> listMapKeys;
    private final ValueRules rules;
    private final List<JsonNode> expressions;

    /** Whether anything at or below this node has a default, so that others need not be walked. */
    private final boolean defaulting;

    /** Whether anything at or below this node has an expression. */
    private final boolean ruled;

    private StructuralSchema(JsonNode source) {
        JsonNode from = source == null ? MissingNode.getInstance() : source;
        this.source = from;
        this.type = from.path("type").asText("");
        this.nullable = from.path("nullable").asBoolean();
        this.preserving = source == null
                || from.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        this.embedded = from.path("x-kubernetes-embedded-resource").asBoolean();
        this.intOrString = from.path("x-kubernetes-int-or-string").asBoolean();
        this.properties = new LinkedHashMap<>();
        from.path("properties")
                .properties()
                .forEach(field -> properties.put(field.getKey(), new StructuralSchema(field.getValue())));
        JsonNode others = from.path("additionalProperties");
        this.additional = others.isObject() ? new StructuralSchema(others) : others.asBoolean() ? ANYTHING : null;
        this.items = from.path("items").isObject() ? new StructuralSchema(from.path("items")) : null;
        this.defaultValue = from.get("default");
        this.listType = from.path("x-kubernetes-list-type").asText("");
        this.atomicMap = from.path("x-kubernetes-map-type").asText("").equals("atomic");
        this.listMapKeys = new ArrayList<>();
        from.path("x-kubernetes-list-map-keys").forEach(key -> listMapKeys.add(key.asText()));
        this.rules = ValueRules.of(from);
        this.expressions = new ArrayList<>();
        from.path("x-kubernetes-validations").forEach(expressions::add);
        boolean defaultsBelow = false;
        boolean rulesBelow = false;
        for (StructuralSchema child : children()) {
            defaultsBelow |= child.defaulting;
            rulesBelow |= child.ruled;
        }
        this.defaulting = defaultValue != null || defaultsBelow;
        this.ruled = !expressions.isEmpty() || rulesBelow;
    }

    static StructuralSchema of(JsonNode schema) {
        return new StructuralSchema(schema);
    }

    /** What stands in for a schema where there is none: everything goes. */
    static StructuralSchema anything() {
        return ANYTHING;
    }

    private List<StructuralSchema> children() {
        List<StructuralSchema> children = new ArrayList<>(properties.values());
        if (additional != null && additional != ANYTHING) {
            children.add(additional);
        }
        if (items != null) {
            children.add(items);
        }
        return children;
    }

    JsonNode source() {
        return source;
    }

    String type() {
        return type;
    }

    boolean nullable() {
        return nullable;
    }

    /** True where fields that nobody specified are kept. */
    boolean preserving() {
        return preserving;
    }

    /** True where the value is a whole object with kind and metadata of its own. */
    boolean embedded() {
        return embedded;
    }

    boolean intOrString() {
        return intOrString;
    }

    Map<String, StructuralSchema> properties() {
        return properties;
    }

    /** What values under free keys look like; null where there are none. */
    StructuralSchema additional() {
        return additional;
    }

    StructuralSchema items() {
        return items;
    }

    JsonNode defaultValue() {
        return defaultValue;
    }

    String listType() {
        return listType;
    }

    List<String> listMapKeys() {
        return listMapKeys;
    }

    ValueRules rules() {
        return rules;
    }

    List<JsonNode> expressions() {
        return expressions;
    }

    boolean defaulting() {
        return defaulting;
    }

    boolean ruled() {
        return ruled;
    }

    /** What stands below a field; null where nothing is specified. */
    StructuralSchema below(String field) {
        StructuralSchema property = properties.get(field);
        return property == null ? additional : property;
    }

    /** How server-side apply sees the root of an object. */
    Shape rootShape() {
        Map<String, Shape> fields = new HashMap<>();
        properties.forEach((name, property) -> fields.put(name, property.shape()));
        return Shape.struct(withMetadata(fields));
    }

    private static Map<String, Shape> withMetadata(Map<String, Shape> fields) {
        fields.put("kind", Shape.leaf());
        fields.put("apiVersion", Shape.leaf());
        Schemas.builtIn().find(OBJECT_META).ifPresent(metadata -> fields.put("metadata", Shape.of(metadata)));
        return fields;
    }

    private Shape shape() {
        if (type.equals("array")) {
            return switch (listType) {
                case "set" -> Shape.set();
                case "map" -> Shape.listMap(items == null ? Shape.DEDUCED : items.shape(), listMapKeys, keyDefaults());
                default -> Shape.leaf();
            };
        }
        if (atomicMap) {
            return Shape.leaf();
        }
        if (!type.equals("object")) {
            return type.isEmpty() && preserving ? Shape.DEDUCED : Shape.leaf();
        }
        if (!properties.isEmpty() || embedded) {
            Map<String, Shape> fields = new HashMap<>();
            properties.forEach((name, property) -> fields.put(name, property.shape()));
            return Shape.struct(embedded ? withMetadata(fields) : fields);
        }
        return additional == null || additional == ANYTHING ? Shape.DEDUCED : Shape.map(additional.shape());
    }

    private Map<String, JsonNode> keyDefaults() {
        Map<String, JsonNode> defaults = new HashMap<>();
        for (String key : listMapKeys) {
            StructuralSchema property = items == null ? null : items.properties.get(key);
            if (property != null && property.defaultValue != null) {
                defaults.put(key, property.defaultValue);
            }
        }
        return defaults;
    }
}
