package io.argosy.server.openapi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads protobuf messages without knowing them, for the tests. */
final class WireReader {
    private final byte[] bytes;

    /** A field: bytes, or a number where these are null. */
    record Value(int number, byte[] bytes, long varint) {
        WireReader message() {
            return new WireReader(bytes);
        }

        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    WireReader(byte[] bytes) {
        this.bytes = bytes;
    }

    List<Value> all() {
        List<Value> values = new ArrayList<>();
        int[] at = {0};
        while (at[0] < bytes.length) {
            int key = (int) varint(at);
            if ((key & 7) == 0) {
                values.add(new Value(key >>> 3, null, varint(at)));
            } else {
                int length = (int) varint(at);
                byte[] content = Arrays.copyOfRange(bytes, at[0], at[0] + length);
                at[0] += length;
                values.add(new Value(key >>> 3, content, 0));
            }
        }
        return values;
    }

    List<Value> all(int number) {
        return all().stream().filter(value -> value.number() == number).toList();
    }

    WireReader message(int number) {
        return all(number).getFirst().message();
    }

    String text(int number) {
        List<Value> values = all(number);
        return values.isEmpty() ? "" : values.getFirst().text();
    }

    /** The value of an entry of a map whose entries are the messages with a number. */
    WireReader entry(int number, String name) {
        return all(number).stream()
                .map(Value::message)
                .filter(entry -> entry.text(1).equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no entry is called " + name))
                .message(2);
    }

    private long varint(int[] at) {
        long value = 0;
        int shift = 0;
        byte next;
        do {
            next = bytes[at[0]++];
            value |= (long) (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return value;
    }
}
