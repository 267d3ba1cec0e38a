package io.argosy.bench.load;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Finds the end of each answer on a connection and keeps nothing of it but its status, so that little of the machine goes to reading. */
final class AnswerReader {
    private static final String LENGTH = "content-length:";

    private final byte[] head = new byte[16 << 10];
    private int headLength;
    private long bodyLeft = -1;
    private int status;

    /** Takes in what came; true when it completed an answer. Bytes after that one are left for the next call. */
    boolean read(ByteBuf in) {
        while (bodyLeft < 0 && in.isReadable()) {
            head[headLength++] = in.readByte();
            if (endsHead()) {
                understandHead();
            } else if (headLength == head.length) {
                throw new IllegalStateException("an answer's head is longer than " + head.length + " bytes");
            }
        }
        if (bodyLeft < 0) {
            return false;
        }
        int taken = (int) Math.min(bodyLeft, in.readableBytes());
        in.skipBytes(taken);
        bodyLeft -= taken;
        if (bodyLeft > 0) {
            return false;
        }
        bodyLeft = -1;
        headLength = 0;
        return true;
    }

    /** Of the answer that was completed last. */
    int status() {
        return status;
    }

    private boolean endsHead() {
        return headLength >= 4
                && head[headLength - 1] == '\n'
                && head[headLength - 2] == '\r'
                && head[headLength - 3] == '\n'
                && head[headLength - 4] == '\r';
    }

    private void understandHead() {
        status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
        for (int at = 0; at < headLength - LENGTH.length(); at++) {
            if (head[at] == '\n' && isLength(at + 1)) {
                bodyLeft = number(at + 1 + LENGTH.length());
                return;
            }
        }
        throw new IllegalStateException("an answer does not tell its length: "
                + new String(head, 0, headLength, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT));
    }

    private boolean isLength(int from) {
        if (from + LENGTH.length() > headLength) {
            return false;
        }
        for (int i = 0; i < LENGTH.length(); i++) {
            if ((head[from + i] | 0x20) != (LENGTH.charAt(i) | 0x20)) {
                return false;
            }
        }
        return true;
    }

    private long number(int from) {
        long value = 0;
        for (int at = from; head[at] != '\r'; at++) {
            if (head[at] != ' ') {
                value = value * 10 + head[at] - '0';
            }
        }
        return value;
    }
}
