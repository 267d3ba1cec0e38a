package io.argosy.api.schema;

import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import java.util.List;
import java.util.Set;

/**
 * A property of an object: its type, how patches and appliers merge it, and where protobuf has it.
 *
 * @param name in JSON
 * @param listType how a list is owned and merged by server-side apply; {@link ListType#UNSTATED} means atomic
 * @param listMapKeys which fields tell the elements of a {@link ListType#MAP} apart
 * @param mapType how a map or object is owned by server-side apply; {@link MapType#UNSTATED} leaves it to the type
 * @param patchStrategies of strategic merge patch; empty means that lists are replaced and objects merged
 * @param patchMergeKey the field that tells elements apart in strategic merge patch, or null
 * @param defaultValue the declared default as JSON text, or null; most defaults are a matter of code, not of the schema
 * @param protobuf the field's place in protobuf, or null for {@code apiVersion} and {@code kind} of whole objects
 */
public record Field(
        String name,
        ValueType type,
        boolean required,
        ListType listType,
        List<String> listMapKeys,
        MapType mapType,
        Set<PatchStrategy> patchStrategies,
        String patchMergeKey,
        String defaultValue,
        Protobuf protobuf) {

    /** Whether appliers own a list as a whole or by element. */
    public enum ListType {
        UNSTATED,
        ATOMIC,
        SET,
        MAP
    }

    /** Whether appliers own an object as a whole or by key. */
    public enum MapType {
        UNSTATED,
        ATOMIC,
        GRANULAR
    }

    /** What strategic merge patch does with the field. */
    public enum PatchStrategy {
        MERGE,
        RETAIN_KEYS,
        REPLACE
    }

    /**
     * Where a field is in protobuf.
     *
     * @param number the field number in the innermost message
     * @param inlinedIn the numbers of the messages to descend into first; JSON shows their fields as fields of the object itself
     */
    public record Protobuf(int number, List<Integer> inlinedIn) {}

    /** The schema of the value, of the elements of a list or of the values of a map; null where these are scalars or lists. */
    public Schema elementSchema() {
        ValueType inner = type;
        if (type instanceof ListOf list) {
            inner = list.element();
        } else if (type instanceof MapOf map) {
            inner = map.value();
        }
        return inner instanceof Ref ref ? ref.schema() : null;
    }

    public boolean isList() {
        return type instanceof ListOf;
    }

    public boolean isMap() {
        return type instanceof MapOf;
    }
}
