package io.argosy.node.agent.log;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * One line of a log in the CRI format: {@code <time> <stdout|stderr> <P|F> <text>}.
 *
 * @param time as written
 * @param partial whether the container's own line goes on in the next one
 * @param text the container's bytes, with the line's end if it has one
 */
record CriLine(String time, String stream, boolean partial, byte[] text) {

    /** Parses the bytes of a line without its newline; null when it is none. */
    static CriLine parse(byte[] line, int length) {
        int first = indexOf(line, 0, length);
        int second = first < 0 ? -1 : indexOf(line, first + 1, length);
        int third = second < 0 ? -1 : indexOf(line, second + 1, length);
        if (second < 0) {
            return null;
        }
        int tagEnd = third < 0 ? length : third;
        boolean partial = tagEnd - second > 1 && line[second + 1] == 'P';
        int textStart = third < 0 ? length : third + 1;
        byte[] text = new byte[length - textStart + (partial ? 0 : 1)];
        System.arraycopy(line, textStart, text, 0, length - textStart);
        if (!partial) {
            text[text.length - 1] = '\n';
        }
        return new CriLine(
                new String(line, 0, first, StandardCharsets.US_ASCII),
                new String(line, first + 1, second - first - 1, StandardCharsets.US_ASCII),
                partial,
                text);
    }

    private static int indexOf(byte[] line, int from, int to) {
        for (int i = from; i < to; i++) {
            if (line[i] == ' ') {
                return i;
            }
        }
        return -1;
    }

    boolean before(Instant since) {
        try {
            return OffsetDateTime.parse(time).toInstant().isBefore(since);
        } catch (DateTimeException e) {
            return false;
        }
    }
}
