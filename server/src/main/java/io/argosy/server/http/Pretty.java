package io.argosy.server.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** JSON for people to read: indented, when they ask for it, or when what they use is a tool for people. */
public final class Pretty {
    private static final List<String> TOOLS = List.of("curl", "Wget", "Mozilla/5.0");
    private static final List<String> YES = List.of("1", "t", "T", "TRUE", "true", "True");
    private static final byte[] MARGIN = " ".repeat(64).getBytes(StandardCharsets.US_ASCII);

    private final byte[] json;
    private byte[] out;
    private int length;
    private int depth;

    private Pretty(byte[] json) {
        this.json = json;
        this.out = new byte[json.length * 2 + 16];
    }

    /** Whether an answer is to be indented: the query decides; where it says nothing, the client's name and its Accept header. */
    public static boolean wanted(Map<String, List<String>> query, HttpHeaders headers) {
        List<String> asked = query.getOrDefault("pretty", List.of());
        if (!asked.isEmpty() && !asked.getFirst().isEmpty()) {
            return YES.contains(asked.getFirst());
        }
        return isForPeople(headers.get("user-agent", ""))
                || headers.get("accept", "").contains("pretty=1");
    }

    /** Whether the client is a tool in which people read answers as they come. */
    public static boolean isForPeople(String agent) {
        for (String tool : TOOLS) {
            if (agent.startsWith(tool)) {
                return true;
            }
        }
        return false;
    }

    /** The same JSON with each member on a line of its own. */
    public static byte[] indent(byte[] json) {
        return new Pretty(json).indented();
    }

    private byte[] indented() {
        for (int i = 0; i < json.length; i++) {
            byte c = json[i];
            switch (c) {
                case '"' -> {
                    int end = endOfText(i);
                    put(json, i, end - i);
                    i = end - 1;
                }
                case '{', '[' -> {
                    put(c);
                    int next = skipBlank(i + 1);
                    if (next < json.length && (json[next] == '}' || json[next] == ']')) {
                        put(json[next]);
                        i = next;
                    } else {
                        depth++;
                        newLine();
                    }
                }
                case '}', ']' -> {
                    depth--;
                    newLine();
                    put(c);
                }
                case ',' -> {
                    put(c);
                    newLine();
                }
                case ':' -> {
                    put(c);
                    put((byte) ' ');
                }
                case ' ', '\t', '\r', '\n' -> {
                    // the layout is ours
                }
                default -> put(c);
            }
        }
        return Arrays.copyOf(out, length);
    }

    /** Where the text that begins here has ended: behind its closing quote. */
    private int endOfText(int from) {
        int i = from + 1;
        while (i < json.length && json[i] != '"') {
            i += json[i] == '\\' ? 2 : 1;
        }
        return Math.min(i + 1, json.length);
    }

    private int skipBlank(int from) {
        int i = from;
        while (i < json.length && json[i] <= ' ') {
            i++;
        }
        return i;
    }

    private void newLine() {
        put((byte) '\n');
        for (int left = depth * 2; left > 0; left -= MARGIN.length) {
            put(MARGIN, 0, Math.min(left, MARGIN.length));
        }
    }

    private void put(byte c) {
        if (length == out.length) {
            out = Arrays.copyOf(out, length * 2);
        }
        out[length++] = c;
    }

    private void put(byte[] from, int offset, int count) {
        if (length + count > out.length) {
            out = Arrays.copyOf(out, Math.max(out.length * 2, length + count));
        }
        System.arraycopy(from, offset, out, length, count);
        length += count;
    }
}
