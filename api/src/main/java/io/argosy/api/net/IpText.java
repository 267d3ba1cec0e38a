package io.argosy.api.net;

/** The text form of an IP address; of IPv6 the shortest, that of RFC 5952. */
public final class IpText {
    private static final int GROUPS = 8;

    private IpText() {}

    /** From network-order bytes, four or sixteen of them. */
    public static String of(byte[] bytes) {
        return bytes.length == 4
                ? (bytes[0] & 255) + "." + (bytes[1] & 255) + "." + (bytes[2] & 255) + "." + (bytes[3] & 255)
                : compressed(bytes);
    }

    /** The longest run of zero groups is left out, the first of equals. */
    private static String compressed(byte[] bytes) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 255) << 8 | (bytes[2 * i + 1] & 255);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
