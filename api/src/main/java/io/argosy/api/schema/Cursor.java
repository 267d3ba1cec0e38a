package io.argosy.api.schema;

/** A place in a byte array from which unsigned LEB128 numbers are read. */
final class Cursor {
    private final byte[] bytes;
    private int at;

    Cursor(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    int number() {
        int value = 0;
        int shift = 0;
        byte next;
        do {
            next = bytes[at++];
            value |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return value;
    }

    int at() {
        return at;
    }

    void skip(int count) {
        at += count;
    }
}
