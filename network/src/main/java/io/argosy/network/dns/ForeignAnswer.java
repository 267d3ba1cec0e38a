package io.argosy.network.dns;

import java.util.Arrays;

/**
 * An answer of another server, kept as it came; the places of the times to live are known, so that it can age.
 *
 * @param message up to the end of the last record that is kept, without the OPT record
 * @param lifetime how long it may be kept, in seconds
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ForeignAnswer(
        byte[] message,
        int rcode,
        int answers,
        int authorities,
        int extras,
        int[] ttlOffsets,
        long lifetime,
        boolean truncated) {

    /** Takes a message apart; null unless it is a sound answer to the query. */
    static ForeignAnswer parse(byte[] data, int length, int id, Query query) {
        if (length < query.questionEnd
                || Wire.u16(data, 0) != id
                || (data[2] & 0x80) == 0
                || Wire.u16(data, 4) != 1
                || !sameQuestion(data, query)) {
            return null;
        }
        int[] counts = {Wire.u16(data, 6), Wire.u16(data, 8), Wire.u16(data, 10)};
        int[] kept = new int[3];
        int[] offsets = new int[Math.min(counts[0] + counts[1] + counts[2], length / 11)];
        int records = 0;
        long positive = Long.MAX_VALUE;
        long negative = 0;
        int at = query.questionEnd;
        sections:
        for (int section = 0; section < 3; section++) {
            for (int i = 0; i < counts[section]; i++) {
                int after = Records.skipName(data, at, length);
                if (after < 0 || after + 10 > length || after + 10 + Wire.u16(data, after + 8) > length) {
                    return null;
                }
                int size = Wire.u16(data, after + 8);
                int type = Wire.u16(data, after);
                if (type == Wire.OPT) {
                    break sections;
                }
                long ttl = Wire.u32(data, after + 4);
                if (section == 0) {
                    positive = Math.min(positive, ttl);
                } else if (section == 1 && type == Wire.SOA && size >= 4) {
                    negative = Math.min(ttl, Wire.u32(data, after + 10 + size - 4));
                }
                offsets[records++] = after + 4;
                kept[section]++;
                at = after + 10 + size;
            }
        }
        return new ForeignAnswer(
                Arrays.copyOf(data, at),
                data[3] & 15,
                kept[0],
                kept[1],
                kept[2],
                Arrays.copyOf(offsets, records),
                kept[0] > 0 ? positive : negative,
                (data[2] & 2) != 0);
    }

    private static boolean sameQuestion(byte[] data, Query query) {
        for (int i = Wire.HEADER; i < query.questionEnd; i++) {
            if (Name.lower(data[i]) != Name.lower(query.data[i])) {
                return false;
            }
        }
        return true;
    }

    /** Makes this the answer to a query for the same question, the given number of seconds after it came. */
    int writeTo(Response response, long age) {
        byte[] aged = message;
        if (age > 0) {
            aged = message.clone();
            for (int offset : ttlOffsets) {
                Wire.put32(aged, offset, Math.max(0, Wire.u32(aged, offset) - age));
            }
        }
        response.adopt(aged, aged.length, answers, authorities, extras);
        return response.finish(rcode, false);
    }

    /** Adds the records of the answer section to a response that began with an alias, the given number of seconds after they came. */
    void appendTo(Response response, int questionEnd, long age) {
        int at = questionEnd;
        byte[] name = new byte[Name.LONGEST];
        byte[] target = new byte[Name.LONGEST];
        for (int i = 0; i < answers; i++) {
            int nameLength = Records.expandName(message, at, message.length, name, 0);
            int after = Records.skipName(message, at, message.length);
            if (nameLength < 0) {
                return;
            }
            int type = Wire.u16(message, after);
            int size = Wire.u16(message, after + 8);
            Name owner = new Name(name, 0, nameLength);
            long ttl = Math.max(0, Wire.u32(message, after + 4) - age);
            if (type == Wire.CNAME) {
                int targetLength = Records.expandName(message, after + 10, message.length, target, 0);
                if (targetLength < 0) {
                    return;
                }
                response.answer(owner, type, ttl, Arrays.copyOf(target, targetLength));
            } else if (type == Wire.A || type == Wire.AAAA || type == Wire.TXT) {
                response.answer(owner, type, ttl, Arrays.copyOfRange(message, after + 10, after + 10 + size));
            }
            at = after + 10 + size;
        }
    }
}
