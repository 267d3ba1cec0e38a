package io.argosy.api.kinds;

import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType.Subresource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the table of resources (its notation is explained at its top), so that the catalogue is one page of text. */
final class ResourceTable {
    private static final List<String> USUAL_VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    private static final List<String> SUBRESOURCE_VERBS = List.of("get", "patch", "update");

    private final List<ResourceType> types = new ArrayList<>();
    private String group = "";
    private GroupVersion version;
    private boolean legacy;

    private ResourceTable() {}

    static List<ResourceType> read(String resource) {
        try (InputStream in = ResourceTable.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(
                        "The table of resources " + resource + " is missing from the class path");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<ResourceType> parse(String text) {
        ResourceTable table = new ResourceTable();
        for (String line : text.split("\n", -1)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                table.line(line.split(" ", -1));
            }
        }
        return table.types;
    }

    private void line(String[] words) {
        if (words[0].equals("group")) {
            group = words[1].equals("core") ? "" : words[1];
        } else if (words[0].equals("version")) {
            version = new GroupVersion(group, words[1]);
            legacy = words.length > 2 && words[2].equals("legacy");
        } else if (words[0].startsWith("/")) {
            types.set(types.size() - 1, withSubresource(types.getLast(), words));
        } else {
            types.add(resource(words));
        }
    }

    private ResourceType resource(String[] words) {
        String kind = words[1];

        List<String> shortNames = List.of();
        List<String> categories = List.of();
        List<String> verbs = USUAL_VERBS;
        GroupVersion stored = version;
        Set<WriteHabit> habits = EnumSet.noneOf(WriteHabit.class);
        for (int i = 3; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            String attribute = words[i].substring(0, equals);
            String value = words[i].substring(equals + 1);
            switch (attribute) {
                case "short" -> shortNames = List.of(value.split(",", -1));
                case "in" -> categories = List.of(value.split(",", -1));
                case "can" -> verbs = List.of(value.split(",", -1));
                case "stored" -> stored = GroupVersion.parse(value);
                case "put", "delete" -> {
                    for (String habit : value.split(",", -1)) {
                        habits.add(WriteHabit.valueOf((attribute + "_" + habit).toUpperCase(Locale.ROOT)));
                    }
                }
                default -> throw new IllegalArgumentException("unknown attribute " + words[i] + " of " + words[0]);
            }
        }
        return new ResourceType(
                version,
                kind,
                words[0],
                kind.toLowerCase(Locale.ROOT),
                shortNames,
                categories,
                words[2].equals("ns"),
                verbs,
                List.of(),
                stored,
                legacy,
                habits);
    }

    private static ResourceType withSubresource(ResourceType type, String[] words) {
        List<Subresource> subresources = new ArrayList<>(type.subresources());
        subresources.add(new Subresource(
                words[0].substring(1),
                words.length > 1 ? subresourceKind(type, words[1]) : type.groupVersionKind(),
                words.length > 2 ? List.of(words[2].split(",", -1)) : SUBRESOURCE_VERBS));
        return new ResourceType(
                type.groupVersion(),
                type.kind(),
                type.plural(),
                type.singular(),
                type.shortNames(),
                type.categories(),
                type.namespaced(),
                type.verbs(),
                subresources,
                type.storageVersion(),
                type.legacy(),
                type.habits());
    }

    private static GroupVersionKind subresourceKind(ResourceType type, String word) {
        if (word.equals("-")) {
            return type.groupVersionKind();
        }
        int slash = word.lastIndexOf('/');
        return slash < 0
                ? type.groupVersion().kind(word)
                : GroupVersionKind.of(word.substring(0, slash), word.substring(slash + 1));
    }
}
