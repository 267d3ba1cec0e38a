package io.argosy.schemagen;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes definitions in the form the api module reads without parsing it first: tables of fixed width that can be searched as
 * they are, then strings, then the bodies of the definitions, which are decoded one at a time.
 *
 * <pre>
 * file    = 'ASC2' strings.count definitions.count kinds.count                          (each 4 bytes, as in all tables)
 *           {string.offset}                   and one more, where the last string ends
 *           {name body.offset}                definitions by name; offsets count from the start of the file
 *           {kind group version definition}   kinds in this order of precedence
 *           strings bodies                    in bodies numbers are unsigned LEB128, and a string is its place in the table
 * body    = form flags kinds.count {group version kind} fields.count field...
 *           flags: 1 published, 2|4 map is atomic, granular
 * field   = name type flags [list keys] [merge key] [default] numbers.count number...
 *           flags: 1 required, 2|4|6 list is atomic, set, map, 8|16 map is atomic, granular, 32 merge, 64 retainKeys,
 *           128 replace, 256 merge key follows, 512 default follows; the keys of a list map follow as count and strings
 * type    = 0 string, 1 int32, 2 int64, 3 double, 4 bool, 5 bytes, 6 list type, 7 wrapped list type, 8 map type, 9+definition
 * </pre>
 */
final class StructureWriter {
    private static final String MAGIC = "ASC2";
    private static final List<Definition.Form> FORMS = List.of(Definition.Form.values());
    private static final List<String> SCALARS = List.of("string", "int32", "int64", "double", "bool", "bytes");
    private static final List<String> LIST_TYPES = List.of("", "atomic", "set", "map");
    private static final List<String> MAP_TYPES = List.of("", "atomic", "granular");
    private static final List<String> PATCH_STRATEGIES = List.of("merge", "retainKeys", "replace");

    private final Map<String, Integer> strings = new LinkedHashMap<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final Map<Definition.Kind, Integer> kinds = new TreeMap<>(Comparator.comparing(Definition.Kind::kind)
            .thenComparing(Definition.Kind::group)
            .thenComparing(Definition.Kind::version));

    /** Writes definitions, which come in the order of their names. */
    byte[] write(Collection<Definition> definitions) {
        for (Definition definition : definitions) {
            int place = places.size();
            places.put(definition.name(), place);
            definition.kinds().forEach(kind -> kinds.put(kind, place));
        }
        Bytes bodies = new Bytes();
        List<Integer> definitionTable = new ArrayList<>();
        for (Definition definition : definitions) {
            definitionTable.add(string(definition.name()));
            definitionTable.add(bodies.size());
            body(definition, bodies);
        }
        return file(definitionTable, bodies.toByteArray());
    }

    private byte[] file(List<Integer> definitionTable, byte[] bodies) {
        Bytes stringBytes = new Bytes();
        List<Integer> stringTable = new ArrayList<>();
        for (String string : strings.keySet()) {
            stringTable.add(stringBytes.size());
            stringBytes.writeBytes(string.getBytes(StandardCharsets.UTF_8));
        }
        stringTable.add(stringBytes.size());
        int start = 4 * (4 + stringTable.size() + definitionTable.size() + 4 * kinds.size());
        Bytes file = new Bytes();
        file.writeBytes(MAGIC.getBytes(StandardCharsets.US_ASCII));
        file.fixed(strings.size());
        file.fixed(places.size());
        file.fixed(kinds.size());
        stringTable.forEach(offset -> file.fixed(start + offset));
        for (int i = 0; i < definitionTable.size(); i += 2) {
            file.fixed(definitionTable.get(i));
            file.fixed(start + stringBytes.size() + definitionTable.get(i + 1));
        }
        kinds.forEach((kind, place) -> {
            file.fixed(string(kind.kind()));
            file.fixed(string(kind.group()));
            file.fixed(string(kind.version()));
            file.fixed(place);
        });
        file.writeBytes(stringBytes.toByteArray());
        file.writeBytes(bodies);
        return file.toByteArray();
    }

    private void body(Definition definition, Bytes out) {
        out.number(FORMS.indexOf(definition.form()));
        out.number((definition.published() ? 1 : 0) | place(MAP_TYPES, definition.mapType()) << 1);
        out.number(definition.kinds().size());
        for (Definition.Kind kind : definition.kinds()) {
            out.number(string(kind.group()));
            out.number(string(kind.version()));
            out.number(string(kind.kind()));
        }
        out.number(definition.properties().size());
        for (Definition.Property property : definition.properties()) {
            field(property, out);
        }
    }

    private void field(Definition.Property property, Bytes out) {
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

    private void type(Definition.Type type, Bytes out) {
        switch (type) {
            case Definition.Type.Scalar scalar -> out.number(place(SCALARS, scalar.name()));
            case Definition.Type.ListOf list -> {
                out.number(list.wrapped() ? 7 : 6);
                type(list.element(), out);
            }
            case Definition.Type.MapOf map -> {
                out.number(8);
                type(map.value(), out);
            }
            case Definition.Type.Ref ref -> out.number(9 + places.get(ref.definition()));
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
                write((rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            write(rest);
        }

        void fixed(int value) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                write(value >>> shift);
            }
        }
    }
}
