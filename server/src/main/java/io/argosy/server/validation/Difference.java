package io.argosy.server.validation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;

/** Shows who wrote a forbidden change what it is: the lines of both trees that differ, and three around them, as {@code diff -u} does. */
public final class Difference {
    private static final int CONTEXT = 3;

    /** Beyond so many comparisons everything between the first and the last changed line counts as changed. */
    private static final long MOST_COMPARISONS = 1_000_000;

    private static final ObjectWriter LINES = JsonMapper.builder()
            .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
            .build()
            .writer(new DefaultPrettyPrinter(Separators.createDefaultInstance()
                            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                            .withObjectEmptySeparator("")
                            .withArrayEmptySeparator(""))
                    .withObjectIndenter(new DefaultIndenter(" ", "\n"))
                    .withArrayIndenter(new DefaultIndenter(" ", "\n")));

    private final List<Line> lines = new ArrayList<>();

    /** A line of both trees (' '), of the old one ('-') or of the new one ('+'). */
    private record Line(char where, String text) {}

    private Difference(List<String> before, List<String> now) {
        int most = Math.min(before.size(), now.size());
        int head = 0;
        while (head < most && before.get(head).equals(now.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < most - head && before.get(before.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
            tail++;
        }
        before.subList(0, head).forEach(text -> lines.add(new Line(' ', text)));
        middle(before.subList(head, before.size() - tail), now.subList(head, now.size() - tail));
        before.subList(before.size() - tail, before.size()).forEach(text -> lines.add(new Line(' ', text)));
    }

    /** Empty if there is none. */
    public static String of(JsonNode before, JsonNode now) {
        return new Difference(lines(before), lines(now)).hunks();
    }

    private static List<String> lines(JsonNode tree) {
        try {
            return List.of(LINES.writeValueAsString(tree).split("\n"));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** By the longest sequence of lines that both have. */
    private void middle(List<String> before, List<String> now) {
        int i = 0;
        int j = 0;
        if ((long) before.size() * now.size() <= MOST_COMPARISONS) {
            int[][] common = common(before, now);
            while (i < before.size() && j < now.size()) {
                if (before.get(i).equals(now.get(j))) {
                    lines.add(new Line(' ', before.get(i)));
                    i++;
                    j++;
                } else if (common[i + 1][j] >= common[i][j + 1]) {
                    lines.add(new Line('-', before.get(i++)));
                } else {
                    lines.add(new Line('+', now.get(j++)));
                }
            }
        }
        before.subList(i, before.size()).forEach(text -> lines.add(new Line('-', text)));
        now.subList(j, now.size()).forEach(text -> lines.add(new Line('+', text)));
    }

    /** How many lines the rests of both have in common, by where the rests begin. */
    private static int[][] common(List<String> before, List<String> now) {
        int[][] common = new int[before.size() + 1][now.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = now.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(now.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return common;
    }

    private String hunks() {
        StringBuilder text = new StringBuilder();
        int shown = 0;
        int old = 1;
        int fresh = 1;
        int at = 0;
        while (at < lines.size()) {
            if (lines.get(at).where() == ' ') {
                at++;
                old++;
                fresh++;
                continue;
            }
            int from = Math.max(shown, at - CONTEXT);
            int to = end(at);
            int firstOld = old - (at - from);
            int firstFresh = fresh - (at - from);
            StringBuilder hunk = new StringBuilder();
            for (Line line : lines.subList(from, to)) {
                hunk.append(line.where()).append(line.text()).append('\n');
            }
            int inOld = count(from, to, '+');
            int inFresh = count(from, to, '-');
            text.append("@@ -").append(range(firstOld, inOld));
            text.append(" +").append(range(firstFresh, inFresh)).append(" @@\n").append(hunk);
            old = firstOld + inOld;
            fresh = firstFresh + inFresh;
            shown = to;
            at = to;
        }
        return text.toString();
    }

    /** Where the hunk of the change there ends: changes that are near each other are shown together. */
    private int end(int at) {
        int last = at;
        for (int i = at; i < lines.size() && i - last <= 2 * CONTEXT; i++) {
            if (lines.get(i).where() != ' ') {
                last = i;
            }
        }
        return Math.min(lines.size(), last + 1 + CONTEXT);
    }

    /** The lines that are not of one of the two. */
    private int count(int from, int to, char without) {
        return (int) lines.subList(from, to).stream()
                .filter(line -> line.where() != without)
                .count();
    }

    private static String range(int first, int count) {
        return switch (count) {
            case 0 -> first - 1 + ",0";
            case 1 -> String.valueOf(first);
            default -> first + "," + count;
        };
    }
}
