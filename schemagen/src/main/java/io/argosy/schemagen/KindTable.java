package io.argosy.schemagen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kinds to make schemas for: those of the api module's table of resources, with their lists and those of subresources. */
final class KindTable {
    /** Messages of meta/v1 that requests and answers of every server use. */
    private static final List<String> META_KINDS =
            List.of("APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status");
    /** Those of them that exist in every group version. */
    private static final List<String> KINDS_OF_ALL_VERSIONS = List.of("DeleteOptions", "WatchEvent");
    /** Answers that clients ask for by content type; upstream has no OpenAPI definition of them. */
    private static final List<String> UNPUBLISHED_META_KINDS =
            List.of("PartialObjectMetadata", "PartialObjectMetadataList");

    private static final String META = "k8s.io.apimachinery.pkg.apis.meta.v1.";

    private final Map<String, List<Definition.Kind>> kindsByMessage = new LinkedHashMap<>();

    static KindTable read(Path file) throws IOException {
        KindTable table = new KindTable();
        String group = "";
        String version = "";
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (words[0].equals("group")) {
                group = words[1].equals("core") ? "" : words[1];
            } else if (words[0].equals("version")) {
                version = words[1];
                for (String kind : KINDS_OF_ALL_VERSIONS) {
                    table.add(META + kind, new Definition.Kind(group, version, kind));
                }
            } else if (words[0].startsWith("/")) {
                table.addSubresource(words);
            } else {
                table.add(group, version, words[1]);
                if (!line.contains("can=create") || line.contains("list")) {
                    table.add(group, version, words[1] + "List");
                }
            }
        }
        META_KINDS.forEach(kind -> table.add(META + kind, new Definition.Kind("", "v1", kind)));
        UNPUBLISHED_META_KINDS.forEach(kind -> table.add(META + kind, new Definition.Kind("meta.k8s.io", "v1", kind)));
        return table;
    }

    /** The kinds by the full name of their message. */
    Map<String, List<Definition.Kind>> kindsByMessage() {
        return kindsByMessage;
    }

    static boolean published(Definition.Kind kind) {
        return !UNPUBLISHED_META_KINDS.contains(kind.kind());
    }

    private void addSubresource(String[] words) {
        String[] kind = words.length > 1 ? words[1].split("/") : new String[0];
        if (kind.length == 3) {
            add(kind[0], kind[1], kind[2]);
        }
    }

    private void add(String group, String version, String kind) {
        add(packageOf(group) + "." + version + "." + kind, new Definition.Kind(group, version, kind));
    }

    private void add(String message, Definition.Kind kind) {
        List<Definition.Kind> kinds = kindsByMessage.computeIfAbsent(message, m -> new ArrayList<>());
        if (!kinds.contains(kind)) {
            kinds.add(kind);
        }
    }

    private static String packageOf(String group) {
        return switch (group) {
            case "" -> "k8s.io.api.core";
            case "apiextensions.k8s.io" -> "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions";
            case "apiregistration.k8s.io" -> "k8s.io.kube_aggregator.pkg.apis.apiregistration";
            case "metrics.k8s.io" -> "k8s.io.metrics.pkg.apis.metrics";
            default -> "k8s.io.api." + group.replaceAll("\\..*", "");
        };
    }
}
