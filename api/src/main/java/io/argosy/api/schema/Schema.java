package io.argosy.api.schema;

import io.argosy.api.GroupVersionKind;
import java.util.List;

/** One named type of the API: what OpenAPI calls a definition. Immutable. */
public final class Schema {
    /** What values of the type look like in JSON. Protobuf has each of them as a message. */
    public enum Form {
        /** An object with the fields of the schema. */
        OBJECT,
        /** A string (or a number, in input) such as {@code 100m}; protobuf: 1 the string. */
        QUANTITY,
        /** A number or a string; protobuf: 1 which (0 number, 1 string), 2 the number, 3 the string. */
        INT_OR_STRING,
        /** RFC 3339 in seconds; protobuf: 1 seconds, 2 nanoseconds. */
        TIME,
        /** RFC 3339 in microseconds; protobuf: 1 seconds, 2 nanoseconds. */
        MICRO_TIME,
        /** A string such as {@code 5m0s}; protobuf: 1 nanoseconds. */
        DURATION,
        /** Any object; protobuf: 1 its JSON bytes. */
        RAW_OBJECT,
        /** A set of field paths as an object; protobuf: 1 its JSON bytes. */
        FIELD_SET,
        /** Any JSON value; protobuf: 1 its bytes. */
        ANY_JSON,
        /** A JSON schema or a list of them; the fields of the schema are its parts in protobuf, not in JSON. */
        SCHEMA_OR_ARRAY,
        /** A JSON schema or a boolean; fields as above. */
        SCHEMA_OR_BOOL,
        /** A JSON schema or a list of strings; fields as above. */
        SCHEMA_OR_STRINGS
    }

    private final StructureFile file;
    private final int place;
    private final Form form;
    private final boolean published;
    private final List<GroupVersionKind> kinds;
    private final Field.MapType mapType;
    private final List<Field> fields;
    /** Made when first asked for; two threads that ask at once make the same. */
    private volatile ProtobufMessage protobuf;

    Schema(
            StructureFile file,
            int place,
            Form form,
            boolean published,
            List<GroupVersionKind> kinds,
            Field.MapType mapType,
            List<Field> fields) {
        this.file = file;
        this.place = place;
        this.form = form;
        this.published = published;
        this.kinds = List.copyOf(kinds);
        this.mapType = mapType;
        this.fields = List.copyOf(fields);
    }

    /** The name in OpenAPI documents: {@code io.k8s.api.apps.v1.Deployment}. */
    public String name() {
        return file.name(place);
    }

    public Form form() {
        return form;
    }

    /** Whether OpenAPI documents show the type; some exist only as answers asked for by content type. */
    public boolean published() {
        return published;
    }

    /** The kinds the type is known as; empty for types that are only parts of others. */
    public List<GroupVersionKind> kinds() {
        return kinds;
    }

    /** Whether appliers own objects of the type as a whole ({@code x-kubernetes-map-type}). */
    public Field.MapType mapType() {
        return mapType;
    }

    /** The fields in alphabetical order of their JSON names. */
    public List<Field> fields() {
        return fields;
    }

    /** The field with that JSON name, or null where there is none. */
    public Field field(String name) {
        int low = 0;
        int high = fields.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = fields.get(middle).name().compareTo(name);
            if (order == 0) {
                return fields.get(middle);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** The fields by protobuf number, also of the forms that are no object in JSON but have fields. */
    public ProtobufMessage protobuf() {
        ProtobufMessage known = protobuf;
        if (known == null) {
            known = ProtobufMessage.of(fields, 0);
            protobuf = known;
        }
        return known;
    }

    /** What the type is, in prose; read from disk when first asked for. */
    public String description() {
        return file.descriptions().of(place);
    }

    /** What one of the fields of this schema is, in prose; empty where nobody said. */
    public String description(Field field) {
        int position = fields.indexOf(field);
        if (position < 0) {
            throw new IllegalArgumentException(field.name() + " is not a field of " + name());
        }
        return file.descriptions().of(place, position);
    }

    @Override
    public String toString() {
        return name();
    }
}
