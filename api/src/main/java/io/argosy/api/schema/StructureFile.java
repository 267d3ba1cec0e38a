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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The compact file of schemas, as the build wrote it (its layout stands at {@code StructureWriter} of the schemagen module).
 * Opening it parses nothing: its tables are searched where they lie, and schemas are decoded one at a time.
 */
final class StructureFile {
    private static final int MAGIC = 'A' << 24 | 'S' << 16 | 'C' << 8 | '2';
    private static final Scalar[] SCALARS = {
        Scalar.STRING, Scalar.INT32, Scalar.INT64, Scalar.DOUBLE, Scalar.BOOLEAN, Scalar.BYTES
    };
    private static final Schema.Form[] FORMS = Schema.Form.values();
    private static final ListType[] LIST_TYPES = ListType.values();
    private static final MapType[] MAP_TYPES = MapType.values();
    private static final List<Set<PatchStrategy>> STRATEGIES = List.of(
            Set.of(),
            Set.of(PatchStrategy.MERGE),
            Set.of(PatchStrategy.RETAIN_KEYS),
            Set.of(PatchStrategy.MERGE, PatchStrategy.RETAIN_KEYS),
            Set.of(PatchStrategy.REPLACE));
    private static final int HEADER = 16;
    private static final int LIST = 6;
    private static final int WRAPPED_LIST = 7;
    private static final int MAP = 8;
    private static final int FIRST_REF = 9;

    private final byte[] bytes;
    private final ByteBuffer tables;
    private final int definitionTable;
    private final int kindTable;
    private final int kindCount;
    private final AtomicReferenceArray<String> strings;
    private final AtomicReferenceArray<Schema> schemas;
    private final String descriptionsResource;
    private SoftReference<Descriptions> descriptions = new SoftReference<>(null);

    private StructureFile(byte[] bytes, String descriptionsResource) {
        this.bytes = bytes;
        this.descriptionsResource = descriptionsResource;
        this.tables = ByteBuffer.wrap(bytes);
        if (tables.getInt(0) != MAGIC) {
            throw new IllegalStateException("The file of schemas is not in the expected format");
        }
        this.strings = new AtomicReferenceArray<>(tables.getInt(4));
        this.schemas = new AtomicReferenceArray<>(tables.getInt(8));
        this.kindCount = tables.getInt(12);
        this.definitionTable = HEADER + 4 * (strings.length() + 1);
        this.kindTable = definitionTable + 8 * schemas.length();
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
        return schemas.length();
    }

    /** The place of the schema of a kind, or -1. */
    int place(GroupVersionKind kind) {
        int low = 0;
        int high = kindCount - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int at = kindTable + 16 * middle;
            int order = string(tables.getInt(at)).compareTo(kind.kind());
            order = order != 0 ? order : string(tables.getInt(at + 4)).compareTo(kind.group());
            order = order != 0 ? order : string(tables.getInt(at + 8)).compareTo(kind.version());
            if (order == 0) {
                return tables.getInt(at + 12);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** The place of the schema with a name, or -1. */
    int place(String name) {
        int low = 0;
        int high = schemas.length() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = name(middle).compareTo(name);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    String name(int place) {
        return string(tables.getInt(definitionTable + 8 * place));
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

    private Schema decode(int place) {
        Cursor cursor = body(place);
        Schema.Form form = FORMS[cursor.number()];
        int flags = cursor.number();
        GroupVersionKind[] kinds = new GroupVersionKind[cursor.number()];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = new GroupVersionKind(string(cursor.number()), string(cursor.number()), string(cursor.number()));
        }
        Field[] fields = new Field[cursor.number()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = field(cursor);
        }
        return new Schema(
                this, place, form, (flags & 1) != 0, List.of(kinds), MAP_TYPES[(flags >> 1) & 3], List.of(fields));
    }

    /** The number of fields of a schema, without decoding them. */
    int fieldCount(int place) {
        Cursor cursor = body(place);
        cursor.number();
        cursor.number();
        for (int rest = 3 * cursor.number(); rest > 0; rest--) {
            cursor.number();
        }
        return cursor.number();
    }

    private Cursor body(int place) {
        return new Cursor(bytes, tables.getInt(definitionTable + 8 * place + 4));
    }

    private Field field(Cursor cursor) {
        String name = string(cursor.number());
        ValueType type = type(cursor);
        int flags = cursor.number();
        ListType listType = LIST_TYPES[(flags >> 1) & 3];
        List<String> keys = listType == ListType.MAP ? keys(cursor) : List.of();
        String mergeKey = (flags & 256) != 0 ? string(cursor.number()) : null;
        String defaultValue = (flags & 512) != 0 ? string(cursor.number()) : null;
        return new Field(
                name,
                type,
                (flags & 1) != 0,
                listType,
                keys,
                MAP_TYPES[(flags >> 3) & 3],
                STRATEGIES.get((flags >> 5) & 7),
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

    private static Protobuf protobuf(Cursor cursor) {
        int depth = cursor.number();
        if (depth == 0) {
            return null;
        }
        Integer[] inlinedIn = new Integer[depth - 1];
        for (int i = 0; i < inlinedIn.length; i++) {
            inlinedIn[i] = cursor.number();
        }
        return new Protobuf(cursor.number(), List.of(inlinedIn));
    }

    private String string(int index) {
        String known = strings.get(index);
        if (known != null) {
            return known;
        }
        int at = HEADER + 4 * index;
        int start = tables.getInt(at);
        String made = new String(bytes, start, tables.getInt(at + 4) - start, StandardCharsets.UTF_8);
        return strings.compareAndSet(index, null, made) ? made : strings.get(index);
    }
}
