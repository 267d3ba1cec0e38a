package io.argosy.api.protobuf;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads protobuf's wire format from a part of an array; every length is checked before it is believed. */
final class WireReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;

    private final byte[] bytes;
    private final int end;
    private int at;

    WireReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
    }

    boolean atEnd() {
        return at >= end;
    }

    long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) {
                throw new IOException("protobuf: unexpected end of data");
            }
            byte next = bytes[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IOException("protobuf: number too long");
    }

    long fixed(int length) throws IOException {
        need(length);
        long value = 0;
        for (int i = 0; i < length; i++) {
            value |= (bytes[at + i] & 0xffL) << (8 * i);
        }
        at += length;
        return value;
    }

    /** The message or text that follows, as a reader of its own. */
    WireReader nested() throws IOException {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw new IOException("protobuf: length out of bounds");
        }
        WireReader nested = new WireReader(bytes, at, at + (int) length);
        at += (int) length;
        return nested;
    }

    byte[] rest() {
        byte[] rest = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return rest;
    }

    String text() throws IOException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(java.nio.ByteBuffer.wrap(bytes, at, end - at))
                    .toString();
            at = end;
            return text;
        } catch (CharacterCodingException malformed) {
            throw new IOException("protobuf: text is not UTF-8", malformed);
        }
    }

    void skip(int wireType) throws IOException {
        switch (wireType) {
            case VARINT -> varint();
            case FIXED64 -> fixed(8);
            case BYTES -> nested();
            case FIXED32 -> fixed(4);
            default -> throw new IOException("protobuf: unknown wire type " + wireType);
        }
    }

    private void need(int length) throws IOException {
        if (end - at < length) {
            throw new IOException("protobuf: unexpected end of data");
        }
    }
}
