package io.argosy.network.dns;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A domain name, or a run of its labels, in lower-case wire form; may look into a longer array, so that a lookup copies nothing. */
final class Name {
    static final int LONGEST = 255;

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final int hash;

    Name(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        int h = 1;
        for (int i = from; i < to; i++) {
            h = 31 * h + bytes[i];
        }
        this.hash = h;
    }

    /** A full name from its text, with or without the last dot. */
    static Name of(String text) {
        String bare = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        byte[] labels = labels(bare.isEmpty() ? new String[0] : bare.split("\\.", -1));
        byte[] full = Arrays.copyOf(labels, labels.length + 1);
        if (full.length > LONGEST) {
            throw new IllegalArgumentException("domain name too long: " + text);
        }
        return new Name(full, 0, full.length);
    }

    /** Some labels without the root behind them. */
    static Name relative(String... labels) {
        byte[] wire = labels(labels);
        return new Name(wire, 0, wire.length);
    }

    private static byte[] labels(String[] labels) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String label : labels) {
            byte[] raw = label.getBytes(StandardCharsets.UTF_8);
            if (raw.length == 0 || raw.length > 63) {
                throw new IllegalArgumentException("not a domain label: '" + label + "'");
            }
            out.write(raw.length);
            for (byte b : raw) {
                out.write(lower(b));
            }
        }
        return out.toByteArray();
    }

    static byte lower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
    }

    /** These labels in front of another name. */
    Name plus(Name suffix) {
        byte[] joined = Arrays.copyOf(bytes(), length() + suffix.length());
        System.arraycopy(suffix.bytes, suffix.from, joined, length(), suffix.length());
        if (joined.length > LONGEST) {
            throw new IllegalArgumentException("domain name too long: " + this + "." + suffix);
        }
        return new Name(joined, 0, joined.length);
    }

    boolean endsWith(Name suffix) {
        int start = to - suffix.length();
        if (start < from || !Arrays.equals(bytes, start, to, suffix.bytes, suffix.from, suffix.to)) {
            return false;
        }
        int at = from;
        while (at < start) {
            at += 1 + bytes[at];
        }
        return at == start;
    }

    int length() {
        return to - from;
    }

    byte[] bytes() {
        return Arrays.copyOfRange(bytes, from, to);
    }

    int copyTo(byte[] target, int at) {
        System.arraycopy(bytes, from, target, at, length());
        return at + length();
    }

    int labelCount() {
        int count = 0;
        for (int at = from; at < to && bytes[at] != 0; at += 1 + bytes[at]) {
            count++;
        }
        return count;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name n && hash == n.hash && Arrays.equals(bytes, from, to, n.bytes, n.from, n.to);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int at = from; at < to && bytes[at] != 0; at += 1 + bytes[at]) {
            if (!text.isEmpty()) {
                text.append('.');
            }
            text.append(new String(bytes, at + 1, bytes[at], StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}
