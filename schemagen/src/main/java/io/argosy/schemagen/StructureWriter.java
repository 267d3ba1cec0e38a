package io.argosy.schemagen;

import io.argosy.schemagen.Definition.Property;
import io.argosy.schemagen.Definition.Type;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes definitions in the form the api module reads lazily: a table of strings, an index of definitions, then their bodies.
 * All numbers are unsigned LEB128; a string is its place in the table.
 *
 * <pre>
 * file       = magic strings.count {bytes.count bytes} definitions.count {name body.offset kinds.count {group version kind}} body...
 * body       = form flags fields.count field...            flags: 1 published, 2 atomic map, 4 granular map
 * field      = name type flags [list keys] [merge key] [default] numbers.count number...
 *              flags: 1 required, 2|4|6 list is atomic, set, map, 8|16 map is atomic, granular, 32 merge, 64 retainKeys,
 *              128 replace, 256 merge key follows, 512 default follows; the keys of a list map follow as count and strings
 * type       = 0 string, 1 int32, 2 int64, 3 double, 4 bool, 5 bytes, 6 list type, 7 wrapped list type, 8 map type, 9+definition
 * </pre>
 */
final class StructureWriter {
    static final int MAGIC = 0x41534331;
    private static final List<String> SCALARS = List.of("string", "int32", "int64", "double", "bool", "bytes");
    private static final List<String> LIST_TYPES = List.of("", "atomic", "set", "map");
    private static final List<String> MAP_TYPES = List.of("", "atomic", "granular");
    private static final List<String> PATCH_STRATEGIES = List.of("merge", "retainKeys", "replace");

    private final Map<String, Integer> strings = new LinkedHashMap<>();
    private final Map<String, Integer> places = new HashMap<>();

    byte[] write(Collection<Definition> definitions) {
        definitions.forEach(definition -> places.put(definition.name(), places.size()));
        Bytes index = new Bytes();
        Bytes bodies = new Bytes();
        index.number(definitions.size());
        for (Definition definition : definitions) {
            index.number(string(definition.name()));
            index.number(bodies.size());
            index.number(definition.kinds().size());
            for (Definition.Kind kind : definition.kinds()) {
                index.number(string(kind.group()));
                index.number(string(kind.version()));
                index.number(string(kind.kind()));
            }
            body(definition, bodies);
        }
        Bytes file = new Bytes();
        for (int shift = 24; shift >= 0; shift -= 8) {
            file.write(MAGIC >>> shift);
        }
        file.number(strings.size());
        for (String string : strings.keySet()) {
            byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
            file.number(utf8.length);
            file.writeBytes(utf8);
        }
        file.writeBytes(index.toByteArray());
        file.writeBytes(bodies.toByteArray());
        return file.toByteArray();
    }

    private void body(Definition definition, Bytes out) {
        out.number(definition.form().ordinal());
        out.number((definition.published() ? 1 : 0) | place(MAP_TYPES, definition.mapType()) << 1);
        out.number(definition.properties().size());
        for (Property property : definition.properties()) {
            field(property, out);
        }
    }

    private void field(Property property, Bytes out) {
        out.number(string(property.name()));
        type(property.type(), out);
        int flags = property.required() ? 1 : 0;
        flags |= place(LIST_TYPES, property.listType()) << 1;
        flags |= place(MAP_TYPES, property.mapType()) << 3;
        for (String strategy : property.patchStrategies()) {
            flags |= 32 << place(PATCH_STRATEGIES, strategy);
        }
        flags |= property.patchMergeKey().isEmpty() ? 0 : 256;
        flags |= property.defaultValue().isEmpty() ? 0 : 512;
        out.number(flags);
        if (property.listType().equals("map")) {
            out.number(property.listMapKeys().size());
            property.listMapKeys().forEach(key -> out.number(string(key)));
        }
        if (!property.patchMergeKey().isEmpty()) {
            out.number(string(property.patchMergeKey()));
        }
        if (!property.defaultValue().isEmpty()) {
            out.number(string(property.defaultValue()));
        }
        out.number(property.numbers().size());
        property.numbers().forEach(out::number);
    }

    private void type(Type type, Bytes out) {
        switch (type) {
            case Type.Scalar scalar -> out.number(place(SCALARS, scalar.name()));
            case Type.ListOf list -> {
                out.number(list.wrapped() ? 7 : 6);
                type(list.element(), out);
            }
            case Type.MapOf map -> {
                out.number(8);
                type(map.value(), out);
            }
            case Type.Ref ref -> out.number(9 + places.get(ref.definition()));
        }
    }

    private int string(String text) {
        return strings.computeIfAbsent(text, t -> strings.size());
    }

    private static int place(List<String> words, String word) {
        int place = words.indexOf(word);
        if (place < 0) {
            throw new IllegalStateException("unforeseen word " + word + ", expected one of " + words);
        }
        return place;
    }

    /** Bytes with numbers among them. */
    static final class Bytes extends ByteArrayOutputStream {
        void number(int value) {
            int rest = value;
            while (rest > 0x7f) {
                write(rest & 0x7f | 0x80);
                rest >>>= 7;
            }
            write(rest);
        }
    }
}
