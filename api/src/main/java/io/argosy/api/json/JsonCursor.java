package io.argosy.api.json;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Walks over JSON that was checked when it came in, looking at single fields in place: what nobody asks for is skipped by counting brackets.
 * A parser would read every name on the way and keep it in a table for the next time, and objects are full of names that never come again
 * (owners of fields are noted under keys that hold addresses and uids).
 */
public final class JsonCursor {
    /** Names that were read lately, each at the place its letters say; whoever comes later to a place has it. */
    private static final String[] NAMES = new String[2048];

    private final byte[] json;
    private int at;
    private int nameStart;
    private int nameEnd;
    /** Nothing of the innermost object or array has been passed yet. */
    private boolean fresh;

    private JsonCursor(byte[] json) {
        this.json = json;
    }

    /** Stands at the first value of the text. */
    public static JsonCursor of(byte[] json) {
        return new JsonCursor(json);
    }

    /** Where the cursor stands; before a value, once white space is passed, where it begins. */
    public int position() {
        space();
        return at;
    }

    public boolean isObject() {
        return first() == '{';
    }

    public boolean isArray() {
        return first() == '[';
    }

    public boolean isText() {
        return first() == '"';
    }

    public boolean isNull() {
        return first() == 'n';
    }

    /** Goes into the object or array that begins here. */
    public void enter() {
        int bracket = first();
        if (bracket != '{' && bracket != '[') {
            throw malformed();
        }
        at++;
        fresh = true;
    }

    /** Goes on, in the object that was entered, to the field of this name; false if there is none. */
    public boolean find(String field) {
        while (nextField()) {
            if (nameIs(field)) {
                return true;
            }
            skip();
        }
        return false;
    }

    /** Goes on to the value of the next field of the object that was entered; false at its end, which is then passed. */
    public boolean nextField() {
        if (!next('}')) {
            return false;
        }
        if (byteHere() != '"') {
            throw malformed();
        }
        nameStart = at + 1;
        string();
        nameEnd = at - 1;
        if (first() != ':') {
            throw malformed();
        }
        at++;
        return true;
    }

    /** Goes on to the next element of the array that was entered; false at its end, which is then passed. */
    public boolean nextElement() {
        return next(']');
    }

    private boolean next(char end) {
        boolean begins = fresh;
        fresh = false;
        int here = first();
        if (here == end) {
            at++;
            return false;
        }
        if (!begins) {
            if (here != ',') {
                throw malformed();
            }
            at++;
            space();
        }
        return true;
    }

    /** Whether the field the cursor is at has this name, which is plain ASCII. */
    public boolean nameIs(String name) {
        return same(name, nameStart, nameEnd);
    }

    private boolean same(String ascii, int from, int end) {
        if (end - from != ascii.length()) {
            return false;
        }
        for (int i = 0; i < ascii.length(); i++) {
            if (json[from + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Where the field the cursor is at begins, with the quote of its name. */
    public int fieldStart() {
        return nameStart - 1;
    }

    /** The name of the field the cursor is at: the same String for the same name, mostly. */
    public String name() {
        int hash = 0;
        for (int i = nameStart; i < nameEnd; i++) {
            if (json[i] < 0 || json[i] == '\\') {
                return text(nameStart, nameEnd);
            }
            hash = 31 * hash + json[i];
        }
        int place = (hash ^ hash >>> 11) & (NAMES.length - 1);
        String known = NAMES[place];
        if (known == null || !same(known, nameStart, nameEnd)) {
            known = text(nameStart, nameEnd);
            NAMES[place] = known;
        }
        return known;
    }

    /** The value here as text, without quotes if it is a string; passes it. */
    public String text() {
        int from = position();
        skip();
        return json[from] == '"' ? text(from + 1, at - 1) : text(from, at);
    }

    /** Passes the value here, whatever it is. */
    public void skip() {
        fresh = false;
        int first = first();
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            brackets();
        } else {
            int from = at;
            while (at < json.length && !endsScalar(json[at])) {
                at++;
            }
            if (at == from) {
                throw malformed();
            }
        }
    }

    private void brackets() {
        int depth = 0;
        do {
            switch (byteHere()) {
                case '"' -> string();
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                default -> at++;
            }
        } while (depth > 0);
    }

    /** Passes the string that begins here. */
    private void string() {
        at++;
        for (int here = byteHere(); here != '"'; here = byteHere()) {
            at += here == '\\' ? 2 : 1;
        }
        at++;
    }

    private String text(int from, int end) {
        boolean ascii = true;
        for (int i = from; i < end; i++) {
            if (json[i] == '\\') {
                return unescaped(from, end);
            }
            ascii &= json[i] >= 0;
        }
        return new String(json, from, end - from, ascii ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private String unescaped(int from, int end) {
        try (JsonParser parser = Json.factory().createParser(json, from - 1, end - from + 2)) {
            parser.nextToken();
            return parser.getText();
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON", e);
        }
    }

    private int first() {
        space();
        return byteHere();
    }

    private void space() {
        while (at < json.length && isSpace(json[at])) {
            at++;
        }
    }

    private int byteHere() {
        if (at >= json.length) {
            throw malformed();
        }
        return json[at];
    }

    UncheckedIOException malformed() {
        return new UncheckedIOException(
                new IOException(at >= json.length ? "the JSON ends too early" : "this is no JSON, at byte " + at));
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static boolean endsScalar(byte b) {
        return b == ',' || b == '}' || b == ']' || isSpace(b);
    }
}
