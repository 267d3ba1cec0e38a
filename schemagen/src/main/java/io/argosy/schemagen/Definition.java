package io.argosy.schemagen;

import java.util.List;

/** One joined type, ready to be written: what OpenAPI calls a definition. */
record Definition(
        String name,
        Form form,
        boolean published,
        String mapType,
        List<Kind> kinds,
        List<Property> properties,
        String description) {

    /** What a type looks like in JSON; the order is that of the same enumeration in the api module. */
    enum Form {
        OBJECT,
        QUANTITY,
        INT_OR_STRING,
        TIME,
        MICRO_TIME,
        DURATION,
        RAW_OBJECT,
        FIELD_SET,
        ANY_JSON,
        SCHEMA_OR_ARRAY,
        SCHEMA_OR_BOOL,
        SCHEMA_OR_STRINGS
    }

    /** A group, version and kind under which the type is known. */
    record Kind(String group, String version, String kind) {}

    /**
     * A property of an object.
     *
     * @param type an element of the notation in {@link StructureWriter}
     * @param numbers the protobuf field number, after those of the messages it is inlined from; empty where protobuf has none
     */
    record Property(
            String name,
            Type type,
            boolean required,
            String listType,
            List<String> listMapKeys,
            String mapType,
            List<String> patchStrategies,
            String patchMergeKey,
            String defaultValue,
            List<Integer> numbers,
            String description) {}

    /** The type of a value. */
    sealed interface Type {
        /** A scalar, by its name in the proto language. */
        record Scalar(String name) implements Type {}

        /** A list; wrapped where protobuf makes it a message of its own with the elements as field 1. */
        record ListOf(Type element, boolean wrapped) implements Type {}

        /** A map from strings. */
        record MapOf(Type value) implements Type {}

        /** A definition, by name. */
        record Ref(String definition) implements Type {}
    }
}
