package io.argosy.server.policy;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The types of a built-in kind's fields, for checking expressions against them. */
final class ObjectTypes {
    private final Map<String, CelType> structs = new HashMap<>();

    /** The type of objects with that schema; everything it is made of is known afterwards. */
    @SuppressWarnings("Immutable") // the fields are filled before anybody asks for them, and not changed from then on
    CelType of(Schema schema) {
        if (schema.form() != Schema.Form.OBJECT) {
            return SimpleType.DYN;
        }
        CelType known = structs.get(schema.name());
        if (known != null) {
            return known;
        }
        ImmutableSet<String> names = schema.fields().stream().map(Field::name).collect(ImmutableSet.toImmutableSet());
        Map<String, CelType> fields = new HashMap<>();
        StructType type = StructType.create(schema.name(), names, name -> Optional.ofNullable(fields.get(name)));
        structs.put(schema.name(), type);
        schema.fields().forEach(field -> fields.put(field.name(), of(field.type())));
        return type;
    }

    private CelType of(ValueType type) {
        return switch (type) {
            case Scalar scalar ->
                switch (scalar) {
                    case STRING -> SimpleType.STRING;
                    case INT32, INT64 -> SimpleType.INT;
                    case DOUBLE -> SimpleType.DOUBLE;
                    case BOOLEAN -> SimpleType.BOOL;
                    case BYTES -> SimpleType.BYTES;
                };
            case ListOf list -> ListType.create(of(list.element()));
            case MapOf map -> MapType.create(SimpleType.STRING, of(map.value()));
            case Ref ref -> of(ref.schema());
        };
    }

    Map<String, CelType> structs() {
        return structs;
    }
}
