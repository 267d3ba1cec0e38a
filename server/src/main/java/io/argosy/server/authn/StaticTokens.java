package io.argosy.server.authn;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tokens that stand in a file: token, user, uid and, in quotes, groups, a line for each. They never end. */
public final class StaticTokens implements BearerTokens {
    private static final int LEAST_FIELDS = 3;

    /** By digest, so that looking for one tells nothing of how much of it was right. */
    private final Map<String, User> users = new HashMap<>();

    /** The file's text; a line that cannot be read is an error that names it. */
    public static StaticTokens parse(String text) {
        StaticTokens tokens = new StaticTokens();
        int number = 0;
        for (String line : text.split("\r?\n", -1)) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                tokens.add(fields(line, number), number);
            }
        }
        return tokens;
    }

    private void add(List<String> fields, int number) {
        if (fields.size() < LEAST_FIELDS) {
            throw wrong(number, "must have at least 3 columns (token, user name, user uid), found " + fields.size());
        }
        if (fields.getFirst().isEmpty() || fields.get(1).isEmpty()) {
            throw wrong(number, "the token and the user name may not be empty");
        }
        List<String> groups = new ArrayList<>();
        if (fields.size() > LEAST_FIELDS) {
            for (String group : fields.get(LEAST_FIELDS).split(",", -1)) {
                if (!group.isBlank()) {
                    groups.add(group.strip());
                }
            }
        }
        groups.add(User.AUTHENTICATED);
        User user = new User(fields.get(1), groups, fields.get(2), Map.of());
        if (users.put(digest(fields.getFirst()), user) != null) {
            throw wrong(number, "the token is there twice");
        }
    }

    private static IllegalArgumentException wrong(int number, String why) {
        return new IllegalArgumentException("line " + number + ": " + why);
    }

    /** The columns of a line; quotes keep commas together, and a doubled quote is one. */
    private static List<String> fields(String line, int number) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                field.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                fields.add(field.toString().strip());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        if (quoted) {
            throw wrong(number, "a quote is not closed");
        }
        fields.add(field.toString().strip());
        return fields;
    }

    private static String digest(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public boolean recognizes(String token) {
        return users.containsKey(digest(token));
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        User user = users.get(digest(token));
        if (user == null) {
            throw new InvalidTokenException("the token is not in the file");
        }
        return Verified.here(user, audiences);
    }
}
