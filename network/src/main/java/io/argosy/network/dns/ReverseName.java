package io.argosy.network.dns;

import io.argosy.api.net.Ip;

/** Reads the address out of a name under {@code in-addr.arpa} or {@code ip6.arpa}. */
final class ReverseName {
    private ReverseName() {}

    /** The address, or null if the name is not that of exactly one address. */
    static Ip parse(Name name) {
        String[] labels = name.toString().split("\\.");
        try {
            return switch (labels.length) {
                case 6 -> v4(labels);
                case 34 -> v6(labels);
                default -> null;
            };
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static Ip v4(String[] labels) {
        byte[] bytes = new byte[4];
        for (int i = 0; i < 4; i++) {
            int value = Integer.parseInt(labels[3 - i]);
            if (value < 0 || value > 255) {
                return null;
            }
            bytes[i] = (byte) value;
        }
        return Ip.of(bytes);
    }

    private static Ip v6(String[] labels) {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 32; i++) {
            String digit = labels[31 - i];
            if (digit.length() != 1) {
                return null;
            }
            bytes[i / 2] = (byte) (bytes[i / 2] << 4 | Integer.parseInt(digit, 16));
        }
        return Ip.of(bytes);
    }
}
