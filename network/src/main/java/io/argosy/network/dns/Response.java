package io.argosy.network.dns;

import java.io.ByteArrayOutputStream;

/** An answer in the making, within the size its receiver can take; what does not fit makes it a truncated one. */
final class Response {
    final byte[] bytes;
    private int length;
    private int limit;
    private Query query;
    private int answers;
    private int authorities;
    private int extras;
    private boolean truncated;

    Response(int capacity) {
        bytes = new byte[capacity];
    }

    /** Begins with the question; the limit is what the receiver can take. */
    void begin(Query query, int largest) {
        this.query = query;
        limit = Math.min(largest, bytes.length) - (query.edns ? Wire.OPT_SIZE : 0);
        answers = 0;
        authorities = 0;
        extras = 0;
        truncated = false;
        System.arraycopy(query.data, 0, bytes, 0, query.questionEnd);
        length = query.questionEnd;
    }

    /** Puts in a record set, beginning at any of its records, so that clients who take the first spread out. */
    void answer(RecordSet set, int turn) {
        int bytesBefore = set.size() == 0 ? 0 : turn % set.count() * set.size();
        append(set.answers(), bytesBefore, set.answers().length - bytesBefore);
        append(set.answers(), 0, bytesBefore);
        answers += set.count();
        if (length + set.extras().length <= limit) {
            append(set.extras(), 0, set.extras().length);
            extras += set.extraCount();
        }
    }

    /** Puts in a record set that belongs to another name than the question's. */
    void answer(RecordSet set, Name owner) {
        if (set.size() == 0) {
            append(owner.bytes(), 0, owner.length());
            append(set.answers(), 2, set.answers().length - 2);
            answers++;
            return;
        }
        for (int i = 0; i < set.count(); i++) {
            append(owner.bytes(), 0, owner.length());
            append(set.answers(), i * set.size() + 2, set.size() - 2);
            answers++;
        }
    }

    /** Puts in one record for the question's name. */
    void answer(int type, long ttl, byte[] data) {
        append(null, type, ttl, data);
        answers++;
    }

    void answer(Name owner, int type, long ttl, byte[] data) {
        append(owner, type, ttl, data);
        answers++;
    }

    void authority(Name owner, int type, long ttl, byte[] data) {
        append(owner, type, ttl, data);
        authorities++;
    }

    private void append(Name owner, int type, long ttl, byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RecordSet.record(out, owner, type, ttl, data);
        append(out.toByteArray(), 0, out.size());
    }

    private void append(byte[] source, int from, int count) {
        if (length + count > limit) {
            truncated = true;
        } else if (!truncated) {
            System.arraycopy(source, from, bytes, length, count);
            length += count;
        }
    }

    /** Takes the sections of a message that came from elsewhere, and makes it an answer to our question. */
    void adopt(byte[] message, int size, int answerCount, int authorityCount, int extraCount) {
        if (size > limit) {
            truncated = true;
        } else {
            System.arraycopy(message, query.questionEnd, bytes, query.questionEnd, size - query.questionEnd);
            length = size;
        }
        answers = answerCount;
        authorities = authorityCount;
        extras = extraCount;
    }

    int answerCount() {
        return answers;
    }

    /** Writes the header and the OPT record, and says how long the message is. */
    int finish(int rcode, boolean authoritative) {
        if (truncated) {
            length = query.questionEnd;
            answers = 0;
            authorities = 0;
            extras = 0;
        }
        if (query.edns) {
            bytes[length] = 0;
            Wire.put16(bytes, length + 1, Wire.OPT);
            Wire.put16(bytes, length + 3, Wire.LARGEST_UDP);
            Wire.put16(bytes, length + 5, rcode >>> 4 << 8);
            Wire.put16(bytes, length + 7, query.dnssecOk ? 0x8000 : 0);
            Wire.put16(bytes, length + 9, 0);
            length += Wire.OPT_SIZE;
            extras++;
        }
        int flags = Wire.FLAG_QR | Wire.FLAG_RA | (query.flags & (0x7800 | Wire.FLAG_RD)) | (rcode & 15);
        if (authoritative) {
            flags |= Wire.FLAG_AA;
        }
        if (truncated) {
            flags |= Wire.FLAG_TC;
        }
        Wire.put16(bytes, 0, query.id);
        Wire.put16(bytes, 2, flags);
        Wire.put16(bytes, 4, query.questionEnd > Wire.HEADER ? 1 : 0);
        Wire.put16(bytes, 6, answers);
        Wire.put16(bytes, 8, authorities);
        Wire.put16(bytes, 10, extras);
        return length;
    }
}
