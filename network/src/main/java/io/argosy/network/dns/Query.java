package io.argosy.network.dns;

import java.util.Arrays;

/** One request as it came from the wire, taken apart in place; the same object is used again for the next one. */
final class Query {
    /** What parsing found. */
    enum Form {
        GOOD,
        /** A request, but one that cannot be understood: it is told so. */
        MALFORMED,
        /** Not a request at all: no answer, lest two servers talk to each other for ever. */
        IGNORED
    }

    byte[] data;
    int length;
    int id;
    int flags;
    int type;
    int qclass;
    /** Where the question section ends in the data. */
    int questionEnd;

    boolean edns;
    int ednsVersion;
    boolean dnssecOk;
    int udpSize;

    /** The question's name in lower case, with the root. */
    final byte[] name = new byte[Name.LONGEST];

    int nameLength;
    int labels;
    private final int[] offsets = new int[129];

    Form parse(byte[] message, int size) {
        data = message;
        length = size;
        if (size < Wire.HEADER || (message[2] & 0x80) != 0) {
            return Form.IGNORED;
        }
        id = Wire.u16(message, 0);
        flags = Wire.u16(message, 2);
        questionEnd = Wire.HEADER;
        edns = false;
        ednsVersion = 0;
        dnssecOk = false;
        udpSize = Wire.PLAIN_UDP;
        if (opcode() != 0) {
            return Form.GOOD;
        }
        if (Wire.u16(message, 4) != 1 || !question() || !additional()) {
            return Form.MALFORMED;
        }
        return Form.GOOD;
    }

    int opcode() {
        return flags >>> 11 & 15;
    }

    private boolean question() {
        int at = Wire.HEADER;
        nameLength = 0;
        labels = 0;
        while (true) {
            if (at >= length) {
                return false;
            }
            int size = data[at] & 0xff;
            if (size > 63 || nameLength + size + 1 > Name.LONGEST || at + size >= length) {
                return false;
            }
            offsets[labels] = nameLength;
            name[nameLength++] = data[at++];
            if (size == 0) {
                break;
            }
            labels++;
            for (int i = 0; i < size; i++) {
                name[nameLength++] = Name.lower(data[at++]);
            }
        }
        if (at + 4 > length) {
            return false;
        }
        type = Wire.u16(data, at);
        qclass = Wire.u16(data, at + 2);
        questionEnd = at + 4;
        return true;
    }

    /** Looks for the OPT record behind whatever else the request carries. */
    private boolean additional() {
        int ahead = Wire.u16(data, 6) + Wire.u16(data, 8);
        int records = ahead + Wire.u16(data, 10);
        int at = questionEnd;
        for (int i = 0; i < records; i++) {
            int after = Records.skipName(data, at, length);
            if (after < 0 || after + 10 > length) {
                return false;
            }
            int size = Wire.u16(data, after + 8);
            if (after + 10 + size > length) {
                return false;
            }
            if (i >= ahead && Wire.u16(data, after) == Wire.OPT) {
                if (edns || data[at] != 0) {
                    return false;
                }
                edns = true;
                udpSize = Math.clamp(Wire.u16(data, after + 2), Wire.PLAIN_UDP, Wire.LARGEST_UDP);
                ednsVersion = data[after + 5] & 0xff;
                dnssecOk = (data[after + 6] & 0x80) != 0;
            }
            at = after + 10 + size;
        }
        return true;
    }

    /** The whole name; good until the next request is parsed. */
    Name name() {
        return new Name(name, 0, nameLength);
    }

    /** A run of labels, counted from the left; good until the next request is parsed. */
    Name labels(int from, int to) {
        return new Name(name, offsets[from], offsets[to]);
    }

    boolean endsWith(Name suffix, int suffixLabels) {
        return labels >= suffixLabels && new Name(name, offsets[labels - suffixLabels], nameLength).equals(suffix);
    }

    /** A copy that stays, for work that goes on elsewhere. */
    Query copy() {
        Query copy = new Query();
        copy.parse(Arrays.copyOf(data, length), length);
        return copy;
    }
}
