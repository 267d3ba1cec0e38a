package io.argosy.server.proxy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes the links in a page as it passes by, so that whoever follows one stays behind the proxy. Bytes are taken for characters: what
 * matters in HTML is ASCII, in every encoding that pages are written in.
 */
final class LinkRewriter {
    /** Tags with the attributes that hold addresses. */
    private static final Map<String, Set<String>> LINKS = Map.ofEntries(
            Map.entry("a", Set.of("href")),
            Map.entry("applet", Set.of("codebase")),
            Map.entry("area", Set.of("href")),
            Map.entry("audio", Set.of("src")),
            Map.entry("base", Set.of("href")),
            Map.entry("blockquote", Set.of("cite")),
            Map.entry("body", Set.of("background")),
            Map.entry("button", Set.of("formaction")),
            Map.entry("command", Set.of("icon")),
            Map.entry("del", Set.of("cite")),
            Map.entry("embed", Set.of("src")),
            Map.entry("form", Set.of("action")),
            Map.entry("frame", Set.of("longdesc", "src")),
            Map.entry("head", Set.of("profile")),
            Map.entry("html", Set.of("manifest")),
            Map.entry("iframe", Set.of("longdesc", "src")),
            Map.entry("img", Set.of("longdesc", "src", "usemap")),
            Map.entry("input", Set.of("src", "usemap", "formaction")),
            Map.entry("ins", Set.of("cite")),
            Map.entry("link", Set.of("href")),
            Map.entry("object", Set.of("classid", "codebase", "data", "usemap")),
            Map.entry("q", Set.of("cite")),
            Map.entry("script", Set.of("src")),
            Map.entry("source", Set.of("src")),
            Map.entry("video", Set.of("poster", "src")));

    /** What stands in these is text, whatever it looks like. */
    private static final Set<String> RAW_TEXT = Set.of("script", "style", "textarea", "title", "xmp");

    private static final Pattern ATTRIBUTE =
            Pattern.compile("([^\\s\"'<>/=]+)(\\s*=\\s*)(\"[^\"]*\"|'[^']*'|[^\\s\"'>]+)");
    private static final int LONGEST_TAG = 64 << 10;

    private final UnaryOperator<String> change;
    private final StringBuilder waiting = new StringBuilder();

    /** What ends the raw text or the comment we are in; null outside of them. */
    private String until;

    /** The change is given the address in an attribute, and answers with the one to put in its place. */
    LinkRewriter(UnaryOperator<String> change) {
        this.change = change;
    }

    /** As much of the changed page as is certain after these bytes. */
    byte[] next(byte[] bytes) {
        waiting.append(new String(bytes, StandardCharsets.ISO_8859_1));
        ByteArrayOutputStream out = new ByteArrayOutputStream(waiting.length());
        int at = 0;
        while (at < waiting.length()) {
            int end = until == null ? inText(at, out) : inRaw(at, out);
            if (end < 0) {
                break;
            }
            at = end;
        }
        waiting.delete(0, at);
        return out.toByteArray();
    }

    /** What is left at the end of the page. */
    byte[] rest() {
        byte[] rest = waiting.toString().getBytes(StandardCharsets.ISO_8859_1);
        waiting.setLength(0);
        return rest;
    }

    /** Passes on text up to and with the next tag, and answers where to go on; negative if more is needed for that. */
    private int inText(int at, ByteArrayOutputStream out) {
        int open = waiting.indexOf("<", at);
        if (open != at) {
            int end = open < 0 ? waiting.length() : open;
            pass(waiting.substring(at, end), out);
            return end;
        }
        if (at + 1 < waiting.length() && !beginsTag(waiting.charAt(at + 1))) {
            pass("<", out);
            return at + 1;
        }
        if (waiting.indexOf("<!--", at) == at) {
            until = "-->";
            pass("<!--", out);
            return at + 4;
        }
        int close = endOfTag(at);
        if (close < 0 && waiting.length() - at < LONGEST_TAG) {
            return -1;
        }
        if (close < 0) { // no tag is that long
            pass(waiting.substring(at, at + LONGEST_TAG), out);
            return at + LONGEST_TAG;
        }
        pass(tag(waiting.substring(at, close)), out);
        return close;
    }

    /** A bracket before anything else is only a sign. */
    private static boolean beginsTag(char c) {
        return Character.isLetter(c) || c == '/' || c == '!' || c == '?';
    }

    private int inRaw(int at, ByteArrayOutputStream out) {
        int end = indexIgnoringCase(until, at);
        int certain = end >= 0 ? end : Math.max(at, waiting.length() - until.length() + 1);
        pass(waiting.substring(at, certain), out);
        if (end >= 0) {
            until = null;
            return end;
        }
        return certain > at ? certain : -1;
    }

    private int indexIgnoringCase(String text, int from) {
        String all = waiting.substring(from);
        for (int i = 0; i + text.length() <= all.length(); i++) {
            if (all.regionMatches(true, i, text, 0, text.length())) {
                return from + i;
            }
        }
        return -1;
    }

    /** Behind the bracket that closes the tag; brackets in quotes do not. */
    private int endOfTag(int from) {
        char quote = 0;
        for (int i = from + 1; i < waiting.length(); i++) {
            char c = waiting.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '>') {
                return i + 1;
            }
        }
        return -1;
    }

    private String tag(String tag) {
        int end = 1;
        while (end < tag.length() && Character.isLetterOrDigit(tag.charAt(end))) {
            end++;
        }
        String name = tag.substring(1, end).toLowerCase(Locale.ROOT);
        if (RAW_TEXT.contains(name) && !tag.endsWith("/>")) {
            until = "</" + name;
        }
        Set<String> links = LINKS.get(name);
        if (links == null) {
            return tag;
        }
        Matcher attribute = ATTRIBUTE.matcher(tag).region(end, tag.length());
        StringBuilder changed = new StringBuilder(tag.substring(0, end));
        int last = end;
        while (attribute.find()) {
            changed.append(tag, last, attribute.start(3));
            changed.append(
                    links.contains(attribute.group(1).toLowerCase(Locale.ROOT))
                            ? value(attribute.group(3))
                            : attribute.group(3));
            last = attribute.end();
        }
        return changed.append(tag, last, tag.length()).toString();
    }

    private String value(String value) {
        char first = value.charAt(0);
        return first == '"' || first == '\''
                ? first + change.apply(value.substring(1, value.length() - 1)) + first
                : change.apply(value);
    }

    private static void pass(String text, ByteArrayOutputStream out) {
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
