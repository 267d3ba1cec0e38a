package io.argosy.schemagen;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The messages and fields that no published descriptor has; {@code declarations.txt} says which and why. */
final class Declarations {
    private Declarations() {}

    static void read(Map<String, Message> messages) throws IOException {
        InputStream in = Declarations.class.getResourceAsStream("declarations.txt");
        if (in == null) {
            throw new IOException("declarations.txt is not on the class path");
        }
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            Message message = null;
            List<String> comment = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String bare = line.strip();
                String[] words = bare.split(" +");
                if (bare.startsWith("//")) {
                    comment.add(bare.substring(2).stripLeading());
                } else if (words[0].equals("message")) {
                    Comment text = new Comment(comment);
                    message = messages.computeIfAbsent(words[1], n -> new Message(n, new LinkedHashMap<>(), text));
                    comment.clear();
                } else if (!bare.isEmpty() && !bare.startsWith("#")) {
                    Message.Field field = field(words, new Comment(comment));
                    if (message == null || message.fields().putIfAbsent(field.name(), field) != null) {
                        throw new IOException("in no message, or twice: " + line);
                    }
                    comment.clear();
                }
            }
        }
    }

    private static Message.Field field(String[] words, Comment comment) {
        int number = Integer.parseInt(words[words.length - 1]);
        String name = words[words.length - 2];
        String type = words[words.length - 3];
        Message.Label label = switch (words.length == 4 ? words[0] : "") {
            case "repeated" -> Message.Label.REPEATED;
            case "map" -> Message.Label.MAP;
            default -> Message.Label.SINGLE;
        };
        return new Message.Field(name, number, label, type, comment, true);
    }
}
