package io.argosy.schemagen;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The comments of the proto files, which the generated Java sources repeat as Javadoc; the descriptors in the class files do
 * not have them, and they alone tell merge keys and list types.
 */
final class ProtoComments {
    private static final Pattern INTERFACE =
            Pattern.compile("@@protoc_insertion_point\\(interface_extends:([\\w.]+)\\)");
    private static final Pattern FIELD = Pattern.compile("^\\s*\\* <code>.* (\\w+) = \\d+(?: \\[.*])?;</code>$");
    private static final Pattern MESSAGE = Pattern.compile("^\\s*\\* Protobuf type \\{@code ([\\w.]+)}$");

    private final Map<String, Comment> messages = new HashMap<>();
    private final Map<String, Comment> fields = new HashMap<>();

    /** Reads the source of one generated outer class, found as a resource beside the class. */
    void read(Class<?> generated) throws IOException {
        String source = generated.getSimpleName() + ".java";
        InputStream in = generated.getResourceAsStream(source);
        if (in == null) {
            throw new IOException("the sources of " + generated.getName() + " are not on the class path");
        }
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            read(reader);
        }
    }

    private void read(BufferedReader reader) throws IOException {
        String message = null;
        List<String> text = new ArrayList<>();
        boolean inside = false;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            String bare = line.strip();
            if (inside) {
                if (bare.equals("* </pre>")) {
                    inside = false;
                } else {
                    text.add(unescape(bare.startsWith("* ") ? bare.substring(2) : ""));
                }
            } else if (bare.equals("/**")) {
                text = new ArrayList<>();
            } else if (bare.equals("* <pre>")) {
                inside = true;
            } else if (line.contains("@@protoc_insertion_point(interface_extends:")) {
                message = group(INTERFACE, line);
            } else if (bare.startsWith("* Protobuf type ")) {
                messages.putIfAbsent(group(MESSAGE, line), new Comment(text));
                message = null;
            } else if (message != null && bare.startsWith("* <code>")) {
                fields.putIfAbsent(message + "#" + group(FIELD, line), new Comment(text));
            }
        }
    }

    Comment message(String name) {
        return messages.getOrDefault(name, Comment.NONE);
    }

    Comment field(String message, String field) {
        return fields.getOrDefault(message + "#" + field, Comment.NONE);
    }

    private static String group(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        if (!matcher.find()) {
            throw new IllegalStateException("not understood in the generated sources: " + line);
        }
        return matcher.group(1);
    }

    private static String unescape(String text) {
        if (text.indexOf('&') < 0) {
            return text;
        }
        return text.replace("&#42;", "*")
                .replace("&#47;", "/")
                .replace("&#64;", "@")
                .replace("&#92;", "\\")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&");
    }
}
