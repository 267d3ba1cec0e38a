package io.argosy.server.cel;

import io.argosy.api.net.IpText;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/** IP addresses and ranges as text, read as strictly as Kubernetes reads them: no zones, no leading zeros, no host bits of old notations. */
public final class Addresses {
    private Addresses() {}

    /** An address; equal to another with the same bytes. */
    public record Address(BigInteger value, int length) {
        public boolean isV4() {
            return length == 4;
        }

        byte[] bytes() {
            byte[] all = new byte[length];
            byte[] raw = value.toByteArray();
            int from = Math.max(0, raw.length - length);
            System.arraycopy(raw, from, all, length - (raw.length - from), raw.length - from);
            return all;
        }

        InetAddress inet() {
            try {
                return InetAddress.getByAddress(bytes());
            } catch (UnknownHostException impossible) {
                throw new IllegalStateException("four or sixteen bytes are an address", impossible);
            }
        }

        @Override
        public String toString() {
            return IpText.of(bytes());
        }
    }

    /** A range of addresses; the address may have bits beyond the prefix. */
    public record Range(Address address, int prefix) {
        public Range masked() {
            int host = address.length() * 8 - prefix;
            BigInteger value = address.value().shiftRight(host).shiftLeft(host);
            return new Range(new Address(value, address.length()), prefix);
        }

        public boolean contains(Address other) {
            return other.length() == address.length()
                    && new Range(other, prefix).masked().equals(masked());
        }

        public boolean contains(Range other) {
            return other.prefix >= prefix && contains(other.address);
        }

        @Override
        public String toString() {
            return address + "/" + prefix;
        }
    }

    public static Optional<Address> address(String text) {
        byte[] bytes = text.indexOf(':') >= 0 ? v6(text) : v4(text);
        return bytes == null ? Optional.empty() : Optional.of(new Address(new BigInteger(1, bytes), bytes.length));
    }

    public static Optional<Range> range(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        String prefix = text.substring(slash + 1);
        if (!prefix.matches("0|[1-9][0-9]{0,2}")) {
            return Optional.empty();
        }
        int bits = Integer.parseInt(prefix);
        return address(text.substring(0, slash))
                .filter(address -> bits <= address.length() * 8)
                .map(address -> new Range(address, bits));
    }

    private static byte[] v4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        byte[] bytes = new byte[4];
        for (int i = 0; i < 4; i++) {
            if (!parts[i].matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(parts[i]) > 255) {
                return null;
            }
            bytes[i] = (byte) Integer.parseInt(parts[i]);
        }
        return bytes;
    }

    private static byte[] v6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return null;
        }
        byte[] head = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        byte[] tail = gap < 0 ? new byte[0] : groups(text.substring(gap + 2), true);
        if (head == null || tail == null) {
            return null;
        }
        int known = head.length + tail.length;
        if (gap < 0 ? known != 16 : known > 14) {
            return null;
        }
        byte[] bytes = Arrays.copyOf(head, 16);
        System.arraycopy(tail, 0, bytes, 16 - tail.length, tail.length);
        return bytes;
    }

    private static byte[] groups(String text, boolean last) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] parts = text.split(":", -1);
        byte[] bytes = new byte[parts.length * 2 + 2];
        int at = 0;
        for (int i = 0; i < parts.length; i++) {
            if (last && i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
                byte[] v4 = v4(parts[i]);
                if (v4 == null) {
                    return null;
                }
                System.arraycopy(v4, 0, bytes, at, 4);
                at += 4;
            } else {
                if (!parts[i].matches("[0-9a-fA-F]{1,4}")) {
                    return null;
                }
                int group = Integer.parseInt(parts[i], 16);
                bytes[at++] = (byte) (group >> 8);
                bytes[at++] = (byte) group;
            }
        }
        return Arrays.copyOf(bytes, at);
    }
}
