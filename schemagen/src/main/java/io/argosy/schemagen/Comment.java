package io.argosy.schemagen;

import java.util.List;

/** A comment of a published proto file: prose for people and {@code +marker} lines for tools. */
record Comment(List<String> lines) {
    static final Comment NONE = new Comment(List.of());

    Comment {
        lines = List.copyOf(lines);
    }

    boolean has(String marker) {
        return lines.stream().map(String::strip).anyMatch(line -> line.equals("+" + marker));
    }

    /** The values of all {@code +marker=value} lines, in order. */
    List<String> values(String marker) {
        String prefix = "+" + marker + "=";
        return lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
    }

    /** The value of the first {@code +marker=value} line, or an empty string. */
    String value(String marker) {
        List<String> values = values(marker);
        return values.isEmpty() ? "" : values.getFirst();
    }

    /**
     * The prose, laid out as the OpenAPI documents of Kubernetes lay it out: lines of a paragraph joined, indented lines kept,
     * markers and remarks to developers left out.
     */
    String prose() {
        StringBuilder text = new StringBuilder();
        for (String raw : lines) {
            if (raw.equals("---")) {
                break;
            }
            String line = raw.stripTrailing();
            String bare = line.strip();
            boolean remark = bare.startsWith("TODO") || bare.startsWith("+");
            if (line.isEmpty()) {
                dropLast(text);
                text.append("\n\n");
            } else if (!remark && (line.startsWith(" ") || line.startsWith("\t"))) {
                dropLast(text);
                text.append('\n').append(line).append('\n');
            } else if (!remark) {
                text.append(line).append(' ');
            }
        }
        return trimNewlines(text.toString()).strip();
    }

    private static void dropLast(StringBuilder text) {
        if (!text.isEmpty()) {
            text.setLength(text.length() - 1);
        }
    }

    private static String trimNewlines(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && text.charAt(from) == '\n') {
            from++;
        }
        while (to > from && text.charAt(to - 1) == '\n') {
            to--;
        }
        return text.substring(from, to);
    }
}
