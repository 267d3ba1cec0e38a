package io.argosy.api.schema;

/** The type of a value in an object tree. */
public sealed interface ValueType {
    /** A single value, named for its JSON type and format. */
    enum Scalar implements ValueType {
        STRING,
        INT32,
        INT64,
        DOUBLE,
        BOOLEAN,
        /** A base64 string in JSON, the bytes themselves in protobuf. */
        BYTES
    }

    /**
     * A list.
     *
     * @param wrapped whether protobuf holds the list in a message of its own, with the elements as its field 1
     */
    record ListOf(ValueType element, boolean wrapped) implements ValueType {}

    /** An object with free keys and values of one type. */
    record MapOf(ValueType value) implements ValueType {}

    /** A value with a schema of its own; found when asked for, so that types may contain themselves. */
    final class Ref implements ValueType {
        private final StructureFile file;
        private final int place;

        Ref(StructureFile file, int place) {
            this.file = file;
            this.place = place;
        }

        public Schema schema() {
            return file.schema(place);
        }

        /** The name of the schema, without making it. */
        public String name() {
            return file.name(place);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Ref ref && ref.file == file && ref.place == place;
        }

        @Override
        public int hashCode() {
            return place;
        }

        @Override
        public String toString() {
            return "Ref[" + name() + "]";
        }
    }
}
