package io.argosy.server.openapi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A protobuf message being written. Values that protobuf leaves out by default are left out. */
final class Wire {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Wire text(int field, String value) {
        return value.isEmpty() ? this : element(field, value);
    }

    /** An element of a list of strings, which counts even where it is empty. */
    Wire element(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Wire flag(int field, boolean value) {
        if (value) {
            number((field << 3) | VARINT);
            number(1);
        }
        return this;
    }

    Wire message(int field, Wire message) {
        number((field << 3) | BYTES);
        number(message.out.size());
        out.writeBytes(message.out.toByteArray());
        return this;
    }

    byte[] toByteArray() {
        return out.toByteArray();
    }

    private Wire bytes(int field, byte[] value) {
        number((field << 3) | BYTES);
        number(value.length);
        out.writeBytes(value);
        return this;
    }

    private void number(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
