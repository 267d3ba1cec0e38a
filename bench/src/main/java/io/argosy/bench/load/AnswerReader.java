package io.argosy.bench.load;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Finds the end of each answer on a connection and keeps nothing of it but its status, so that little of the machine goes to reading. */
final class AnswerReader {
    private static final byte[] LENGTH = ascii("content-length:");
    private static final byte[] CHUNKED = ascii("transfer-encoding: chunked");
    private static final int LINE_END = 2;

    private enum Part {
        HEAD,
        /** All of it, or what is left of a chunk with the end of its line. */
        BODY,
        CHUNK_SIZE,
        TRAILER
    }

    private final byte[] text = new byte[16 << 10];
    private int textLength;
    private Part part = Part.HEAD;
    private boolean chunked;
    private long bodyLeft;
    private int status;

    /** Takes in what came; true when it completed an answer. Bytes after that one are left for the next call. */
    boolean read(ByteBuf in) {
        while (in.isReadable()) {
            if (part == Part.BODY ? skip(in) : take(in.readByte())) {
                part = Part.HEAD;
                return true;
            }
        }
        return false;
    }

    /** Of the answer that was completed last. */
    int status() {
        return status;
    }

    /** True when the body was the last of an answer. */
    private boolean skip(ByteBuf in) {
        int taken = (int) Math.min(bodyLeft, in.readableBytes());
        in.skipBytes(taken);
        bodyLeft -= taken;
        if (bodyLeft == 0 && chunked) {
            part = Part.CHUNK_SIZE;
        }
        return bodyLeft == 0 && !chunked;
    }

    /** True when the byte was the last of an answer. */
    private boolean take(byte next) {
        text[textLength++] = next;
        boolean ended = part == Part.HEAD ? endsHead() : endsLine();
        if (!ended) {
            if (textLength == text.length) {
                throw new IllegalStateException("an answer's head is longer than " + text.length + " bytes");
            }
            return false;
        }
        boolean last = switch (part) {
            case HEAD -> understandHead();
            case CHUNK_SIZE -> understandSize();
            case TRAILER -> textLength == LINE_END;
            case BODY -> throw new IllegalStateException("a body is skipped");
        };
        textLength = 0;
        return last;
    }

    private boolean endsLine() {
        return textLength >= LINE_END && text[textLength - 1] == '\n' && text[textLength - 2] == '\r';
    }

    private boolean endsHead() {
        return textLength >= 2 * LINE_END && endsLine() && text[textLength - 3] == '\n' && text[textLength - 4] == '\r';
    }

    /** True if nothing follows it. */
    private boolean understandHead() {
        status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + text[11] - '0';
        for (int at = 1; at < textLength; at++) {
            if (text[at - 1] == '\n' && isAt(at, LENGTH)) {
                bodyLeft = number(at + LENGTH.length);
                chunked = false;
                part = Part.BODY;
                return bodyLeft == 0;
            }
            if (text[at - 1] == '\n' && isAt(at, CHUNKED)) {
                chunked = true;
                part = Part.CHUNK_SIZE;
                return false;
            }
        }
        throw new IllegalStateException("an answer does not tell its length: "
                + new String(text, 0, textLength, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT));
    }

    private boolean understandSize() {
        long size = 0;
        for (int at = 0; Character.digit(text[at], 16) >= 0; at++) {
            size = size * 16 + Character.digit(text[at], 16);
        }
        bodyLeft = size + LINE_END;
        part = size == 0 ? Part.TRAILER : Part.BODY;
        return false;
    }

    /** Whether the head has these letters there, small or large. */
    private boolean isAt(int from, byte[] letters) {
        if (from + letters.length > textLength) {
            return false;
        }
        for (int i = 0; i < letters.length; i++) {
            if ((text[from + i] | 0x20) != (letters[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }

    private long number(int from) {
        long value = 0;
        for (int at = from; text[at] != '\r'; at++) {
            if (text[at] != ' ') {
                value = value * 10 + text[at] - '0';
            }
        }
        return value;
    }

    private static byte[] ascii(String letters) {
        return letters.getBytes(StandardCharsets.US_ASCII);
    }
}
