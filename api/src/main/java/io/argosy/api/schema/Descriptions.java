package io.argosy.api.schema;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

/** The prose about schemas and their fields, in a file of its own because only documentation asks for it. */
final class Descriptions {
    private final byte[] bytes;
    private final int[] offsets;
    private final int[] firstOf;

    private Descriptions(byte[] bytes, StructureFile structure) {
        this.bytes = bytes;
        this.firstOf = new int[structure.size() + 1];
        for (int place = 0; place < structure.size(); place++) {
            firstOf[place + 1] = firstOf[place] + 1 + structure.fieldCount(place);
        }
        this.offsets = new int[firstOf[structure.size()]];
        Cursor cursor = new Cursor(bytes, 0);
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = cursor.at();
            cursor.skip(cursor.number());
        }
    }

    static Descriptions load(String resource, StructureFile structure) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(StructureFile.read(resource)))) {
            return new Descriptions(in.readAllBytes(), structure);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The description of the schema at a place. */
    String of(int place) {
        return text(firstOf[place]);
    }

    /** The description of the field at a position of the schema at a place. */
    String of(int place, int position) {
        return text(firstOf[place] + 1 + position);
    }

    private String text(int index) {
        Cursor cursor = new Cursor(bytes, offsets[index]);
        int length = cursor.number();
        return new String(bytes, cursor.at(), length, StandardCharsets.UTF_8);
    }
}
