package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** How a value is owned: as a whole, by field, by key or by element. Made from a schema, on demand, once. Immutable to those who use it. */
public final class Shape {
    /** What is known when there is no schema: objects are owned by key, lists as a whole. */
    public static final Shape DEDUCED = new Shape(Form.DEDUCED, null, null, List.of());

    private static final Shape LEAF = new Shape(Form.LEAF, null, null, List.of());
    private static final Map<Schema, Shape> OF_SCHEMAS = new ConcurrentHashMap<>();

    /** What the value is to writers. */
    enum Form {
        /** A scalar, or a list or an object that is owned as a whole. */
        LEAF,
        STRUCT,
        MAP,
        SET,
        LIST_MAP,
        DEDUCED
    }

    /**
     * A field of a struct.
     *
     * @param solid whether the field is there even when nobody wrote it: an empty struct, to Kubernetes
     */
    record Member(PathElement element, Shape shape, boolean solid) {}

    private final Form form;
    private final Schema schema;
    private final Shape element;
    private final List<String> keys;
    /** Values of keys that elements of a list may leave out; null where the schema says. */
    private final Map<String, JsonNode> keyDefaults;
    /** Made when first asked for, because types may contain themselves; two threads that ask at once make the same. */
    private volatile Map<String, Member> members;

    private Shape(Form form, Schema schema, Shape element, List<String> keys) {
        this(form, schema, element, keys, null);
    }

    private Shape(Form form, Schema schema, Shape element, List<String> keys, Map<String, JsonNode> keyDefaults) {
        this.form = form;
        this.schema = schema;
        this.element = element;
        this.keys = keys;
        this.keyDefaults = keyDefaults;
    }

    /** A value owned as a whole. */
    public static Shape leaf() {
        return LEAF;
    }

    /** An object owned by key. */
    public static Shape map(Shape element) {
        return new Shape(Form.MAP, null, element, List.of());
    }

    /** A list of scalars owned by value. */
    public static Shape set() {
        return new Shape(Form.SET, null, LEAF, List.of());
    }

    /** A list owned by element, told apart by keys, of which some may have defaults. */
    public static Shape listMap(Shape element, List<String> keys, Map<String, JsonNode> keyDefaults) {
        return new Shape(Form.LIST_MAP, null, element, List.copyOf(keys), Map.copyOf(keyDefaults));
    }

    /** An object with known fields; those it does not know are owned by key. */
    public static Shape struct(Map<String, Shape> fields) {
        Shape struct = new Shape(Form.STRUCT, null, DEDUCED, List.of());
        Map<String, Member> members = new HashMap<>();
        fields.forEach((name, shape) -> members.put(name, new Member(PathElement.field(name), shape, false)));
        struct.members = members;
        return struct;
    }

    public static Shape of(Schema schema) {
        Shape known = OF_SCHEMAS.get(schema);
        return known != null ? known : OF_SCHEMAS.computeIfAbsent(schema, Shape::make);
    }

    private static Shape make(Schema schema) {
        return switch (schema.form()) {
            case OBJECT ->
                schema.mapType() == Field.MapType.ATOMIC ? LEAF : new Shape(Form.STRUCT, schema, DEDUCED, List.of());
            case RAW_OBJECT, FIELD_SET -> DEDUCED;
            default -> LEAF;
        };
    }

    private static Shape of(Field field) {
        if (field.mapType() == Field.MapType.ATOMIC) {
            return LEAF;
        }
        if (field.type() instanceof ListOf list) {
            return switch (field.listType()) {
                case SET -> new Shape(Form.SET, null, LEAF, List.of());
                case MAP -> new Shape(Form.LIST_MAP, field.elementSchema(), of(list.element()), field.listMapKeys());
                default -> LEAF;
            };
        }
        return of(field.type());
    }

    private static Shape of(ValueType type) {
        return switch (type) {
            case Ref ref -> of(ref.schema());
            case MapOf map -> new Shape(Form.MAP, null, of(map.value()), List.of());
            default -> LEAF;
        };
    }

    /** The form a value has here; without a schema the value itself tells. */
    Form form(JsonNode value) {
        if (form != Form.DEDUCED) {
            return form;
        }
        return value instanceof ObjectNode ? Form.MAP : Form.LEAF;
    }

    /** The field of a struct; null for other forms and for fields it does not have. */
    Member member(String name) {
        return form == Form.STRUCT ? members().get(name) : null;
    }

    private Map<String, Member> members() {
        Map<String, Member> known = members;
        if (known == null) {
            known = new HashMap<>();
            for (Field field : schema.fields()) {
                PathElement step = PathElement.field(field.name());
                known.put(field.name(), new Member(step, of(field), SolidFields.has(schema, field)));
            }
            members = known;
        }
        return known;
    }

    /** The shape of what stands under a key or in a list. */
    Shape element() {
        return form == Form.DEDUCED ? DEDUCED : element;
    }

    Shape below(PathElement step) {
        String name = step.fieldName();
        Member member = name == null ? null : member(name);
        if (member != null) {
            return member.shape();
        }
        return element() == null ? DEDUCED : element();
    }

    boolean isStructField(PathElement step) {
        String name = step.fieldName();
        return name != null && member(name) != null;
    }

    /** Which element of the list this is; null if it cannot be told. */
    PathElement identify(JsonNode item) {
        if (form == Form.SET) {
            return item.isValueNode() && !item.isNull() ? PathElement.value(item) : null;
        }
        if (!item.isObject()) {
            return null;
        }
        Map<String, JsonNode> found = new TreeMap<>();
        for (String key : keys) {
            JsonNode value = item.get(key);
            value = value == null ? defaultOf(key) : value;
            if (value != null) {
                found.put(key, value);
            }
        }
        return found.isEmpty() ? null : PathElement.key(found);
    }

    private JsonNode defaultOf(String key) {
        if (keyDefaults != null) {
            return keyDefaults.get(key);
        }
        Field field = schema == null ? null : schema.field(key);
        if (field == null || field.defaultValue() == null) {
            return null;
        }
        try {
            return Json.decode(field.defaultValue().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("the default of " + key + " is not JSON", e);
        }
    }
}
