package io.argosy.api.protobuf;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes protobuf's wire format from the end to the beginning: the length of a message stands before it, and is known only when all of it
 * is written. So nothing is measured first, and nothing is moved afterwards.
 */
final class WireWriter {
    private byte[] bytes;

    /** Where the written part begins. */
    private int at;

    WireWriter() {
        this(1024);
    }

    WireWriter(int room) {
        bytes = new byte[room];
        at = room;
    }

    /** How much is written so far; to be given to {@link #message} when what follows it has been put in front. */
    int size() {
        return bytes.length - at;
    }

    /** Makes a message field of all that was written since the size was that. */
    void message(int number, int sizeBefore) {
        varint(size() - sizeBefore);
        tag(number, WireReader.BYTES);
    }

    void bytes(int number, byte[] value) {
        raw(value);
        start(number, value.length);
    }

    /** The beginning of a field of that many bytes. */
    void start(int number, int length) {
        varint(length);
        tag(number, WireReader.BYTES);
    }

    void text(int number, String value) {
        bytes(number, value.getBytes(StandardCharsets.UTF_8));
    }

    void number(int number, long value) {
        varint(value);
        tag(number, WireReader.VARINT);
    }

    void fixed64(int number, long value) {
        room(8);
        for (int i = 7; i >= 0; i--) {
            bytes[--at] = (byte) (value >>> (8 * i));
        }
        tag(number, WireReader.FIXED64);
    }

    void raw(byte[] value) {
        room(value.length);
        at -= value.length;
        System.arraycopy(value, 0, bytes, at, value.length);
    }

    byte[] toBytes() {
        return Arrays.copyOfRange(bytes, at, bytes.length);
    }

    private void tag(int number, int wireType) {
        varint(((long) number << 3) | wireType);
    }

    private void varint(long value) {
        int length = length(value);
        room(length);
        at -= length;
        long rest = value;
        for (int i = 0; i < length - 1; i++) {
            bytes[at + i] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at + length - 1] = (byte) rest;
    }

    private static int length(long value) {
        return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
    }

    private void room(int needed) {
        if (at >= needed) {
            return;
        }
        int written = size();
        byte[] larger = new byte[Math.max(bytes.length * 2, written + needed)];
        System.arraycopy(bytes, at, larger, larger.length - written, written);
        at = larger.length - written;
        bytes = larger;
    }
}
