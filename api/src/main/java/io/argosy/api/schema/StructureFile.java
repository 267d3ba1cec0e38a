package io.argosy.api.schema;

import io.argosy.api.GroupVersionKind;
import io.argosy.api.schema.Field.ListType;
import io.argosy.api.schema.Field.MapType;
import io.argosy.api.schema.Field.PatchStrategy;
import io.argosy.api.schema.Field.Protobuf;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The compact file of schemas, as the build wrote it (its layout stands at {@code StructureWriter} of the schemagen module).
 * Loading reads the index alone; schemas are decoded one at a time.
 */
final class StructureFile {
    private static final int[] MAGIC = {'A', 'S', 'C', '1'};
    private static final Scalar[] SCALARS = {
        Scalar.STRING, Scalar.INT32, Scalar.INT64, Scalar.DOUBLE, Scalar.BOOLEAN, Scalar.BYTES
    };
    private static final int LIST = 6;
    private static final int WRAPPED_LIST = 7;
    private static final int MAP = 8;
    private static final int FIRST_REF = 9;

    private final byte[] bytes;
    private final String descriptionsResource;
    private final int[] stringOffsets;
    private final AtomicReferenceArray<String> strings;
    private final int[] nameStrings;
    private final int[] bodyOffsets;
    private final List<List<GroupVersionKind>> kinds;
    private final Map<GroupVersionKind, Integer> byKind = new HashMap<>();
    private final Map<String, Integer> byName = new HashMap<>();
    private final AtomicReferenceArray<Schema> schemas;
    private SoftReference<Descriptions> descriptions = new SoftReference<>(null);

    private StructureFile(byte[] bytes, String descriptionsResource) {
        this.bytes = bytes;
        this.descriptionsResource = descriptionsResource;
        Cursor cursor = new Cursor(bytes, 0);
        for (int letter : MAGIC) {
            if (cursor.number() != letter) {
                throw new IllegalStateException("The file of schemas is not in the expected format");
            }
        }
        this.stringOffsets = new int[cursor.number()];
        for (int i = 0; i < stringOffsets.length; i++) {
            stringOffsets[i] = cursor.at();
            cursor.skip(cursor.number());
        }
        this.strings = new AtomicReferenceArray<>(stringOffsets.length);
        int count = cursor.number();
        this.nameStrings = new int[count];
        this.bodyOffsets = new int[count];
        this.kinds = new ArrayList<>(count);
        this.schemas = new AtomicReferenceArray<>(count);
        for (int place = 0; place < count; place++) {
            nameStrings[place] = cursor.number();
            bodyOffsets[place] = cursor.number();
            readKinds(cursor, place);
            byName.put(name(place), place);
        }
        for (int place = 0; place < count; place++) {
            bodyOffsets[place] += cursor.at();
        }
    }

    static StructureFile load(String structure, String descriptions) {
        return new StructureFile(read(structure), descriptions);
    }

    static byte[] read(String resource) {
        try (InputStream in = StructureFile.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("The file of schemas " + resource + " is missing from the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int size() {
        return nameStrings.length;
    }

    /** The place of the schema of a kind, or -1. */
    int place(GroupVersionKind kind) {
        return byKind.getOrDefault(kind, -1);
    }

    /** The place of the schema with a name, or -1. */
    int place(String name) {
        return byName.getOrDefault(name, -1);
    }

    String name(int place) {
        return string(nameStrings[place]);
    }

    List<GroupVersionKind> kinds(int place) {
        return kinds.get(place);
    }

    Schema schema(int place) {
        Schema known = schemas.get(place);
        if (known != null) {
            return known;
        }
        Schema made = decode(place);
        return schemas.compareAndSet(place, null, made) ? made : schemas.get(place);
    }

    /** The prose, kept only as long as memory allows: hardly anyone asks twice. */
    synchronized Descriptions descriptions() {
        Descriptions known = descriptions.get();
        if (known == null) {
            known = Descriptions.load(descriptionsResource, this);
            descriptions = new SoftReference<>(known);
        }
        return known;
    }

    private void readKinds(Cursor cursor, int place) {
        int count = cursor.number();
        List<GroupVersionKind> named = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            GroupVersionKind kind =
                    new GroupVersionKind(string(cursor.number()), string(cursor.number()), string(cursor.number()));
            named.add(kind);
            byKind.put(kind, place);
        }
        kinds.add(List.copyOf(named));
    }

    private Schema decode(int place) {
        Cursor cursor = new Cursor(bytes, bodyOffsets[place]);
        Schema.Form form = Schema.Form.values()[cursor.number()];
        int flags = cursor.number();
        int count = cursor.number();
        List<Field> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            fields.add(field(cursor));
        }
        return new Schema(this, place, form, (flags & 1) != 0, MapType.values()[flags >> 1 & 3], fields);
    }

    /** The number of fields of a schema, without decoding them. */
    int fieldCount(int place) {
        Cursor cursor = new Cursor(bytes, bodyOffsets[place]);
        cursor.number();
        cursor.number();
        return cursor.number();
    }

    private Field field(Cursor cursor) {
        String name = string(cursor.number());
        ValueType type = type(cursor);
        int flags = cursor.number();
        ListType listType = ListType.values()[flags >> 1 & 3];
        List<String> keys = listType == ListType.MAP ? keys(cursor) : List.of();
        String mergeKey = (flags & 256) != 0 ? string(cursor.number()) : null;
        String defaultValue = (flags & 512) != 0 ? string(cursor.number()) : null;
        return new Field(
                name,
                type,
                (flags & 1) != 0,
                listType,
                keys,
                MapType.values()[flags >> 3 & 3],
                strategies(flags),
                mergeKey,
                defaultValue,
                protobuf(cursor));
    }

    private ValueType type(Cursor cursor) {
        int code = cursor.number();
        return switch (code) {
            case LIST, WRAPPED_LIST -> new ListOf(type(cursor), code == WRAPPED_LIST);
            case MAP -> new MapOf(type(cursor));
            default -> code >= FIRST_REF ? new Ref(this, code - FIRST_REF) : SCALARS[code];
        };
    }

    private List<String> keys(Cursor cursor) {
        String[] keys = new String[cursor.number()];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = string(cursor.number());
        }
        return List.of(keys);
    }

    private static Set<PatchStrategy> strategies(int flags) {
        if ((flags & (32 | 64 | 128)) == 0) {
            return Set.of();
        }
        EnumSet<PatchStrategy> strategies = EnumSet.noneOf(PatchStrategy.class);
        for (PatchStrategy strategy : PatchStrategy.values()) {
            if ((flags & 32 << strategy.ordinal()) != 0) {
                strategies.add(strategy);
            }
        }
        return Set.copyOf(strategies);
    }

    private static Protobuf protobuf(Cursor cursor) {
        int depth = cursor.number();
        if (depth == 0) {
            return null;
        }
        List<Integer> inlinedIn = new ArrayList<>();
        for (int i = 1; i < depth; i++) {
            inlinedIn.add(cursor.number());
        }
        return new Protobuf(cursor.number(), List.copyOf(inlinedIn));
    }

    private String string(int index) {
        String known = strings.get(index);
        if (known != null) {
            return known;
        }
        Cursor cursor = new Cursor(bytes, stringOffsets[index]);
        int length = cursor.number();
        String made = new String(bytes, cursor.at(), length, StandardCharsets.UTF_8);
        return strings.compareAndSet(index, null, made) ? made : strings.get(index);
    }
}
