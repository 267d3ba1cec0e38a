package io.argosy.network.dns;

/** Walks over resource records inside a message, with care: the message may come from anybody. */
final class Records {
    private Records() {}

    /** The position behind a possibly compressed name, or -1 where there is none. */
    static int skipName(byte[] data, int at, int end) {
        while (at < end) {
            int size = data[at] & 0xff;
            if (size == 0) {
                return at + 1;
            }
            if (size >= 0xc0) {
                return at + 2 <= end ? at + 2 : -1;
            }
            if (size > 63) {
                return -1;
            }
            at += 1 + size;
        }
        return -1;
    }

    /** Writes the name at a position out in full; returns the position behind it in the target, or -1 if it is malformed. */
    static int expandName(byte[] data, int at, int end, byte[] target, int to) {
        int start = to;
        int jumps = 0;
        while (at < end) {
            int size = data[at] & 0xff;
            if (size >= 0xc0) {
                if (at + 1 >= end || ++jumps > 64) {
                    return -1;
                }
                at = (size & 0x3f) << 8 | (data[at + 1] & 0xff);
                continue;
            }
            if (size > 63
                    || at + size >= end
                    || to - start + size + 1 > Name.LONGEST
                    || to + size + 1 > target.length) {
                return -1;
            }
            System.arraycopy(data, at, target, to, size + 1);
            to += size + 1;
            if (size == 0) {
                return to;
            }
            at += size + 1;
        }
        return -1;
    }
}
