package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The form in which a client wants its answer: the one it likes best of those that we can make. */
record Accept(Form form, Media media, String version) {
    enum Media {
        JSON,
        YAML,
        PROTOBUF
    }

    enum Form {
        OBJECT,
        TABLE,
        METADATA,
        METADATA_LIST,
        DISCOVERY
    }

    private static final String META = "meta.k8s.io";
    private static final String DISCOVERY = "apidiscovery.k8s.io";
    private static final Set<String> DISCOVERY_VERSIONS = Set.of("v2", "v2beta1");
    private static final Set<String> META_VERSIONS = Set.of("v1", "v1beta1");

    static final Accept JSON = new Accept(Form.OBJECT, Media.JSON, "");

    /** For pages that are no resources. */
    static Accept of(String header) {
        return of(header, true);
    }

    /** Protobuf can be had only of kinds that have such a form. */
    static Accept of(String header, boolean protobuf) {
        if (header.isEmpty() || header.equals("application/json") || header.equals("*/*")) {
            return JSON;
        }
        for (String choice : byPreference(header)) {
            Accept understood = choice(choice);
            if (understood != null && (understood.media != Media.PROTOBUF || understood.canBeProtobuf(protobuf))) {
                return understood;
            }
        }
        throw notAcceptable(protobuf);
    }

    /** What is named first comes first, unless it is worth less or says less. */
    private static List<String> byPreference(String header) {
        List<String> choices = new ArrayList<>();
        for (String choice : header.split(",")) {
            choices.add(choice.strip());
        }
        if (header.indexOf('*') >= 0 || header.contains("q=")) {
            choices.sort(Comparator.comparingDouble((String choice) -> -worth(choice))
                    .thenComparing(choice -> choice.startsWith("*"))
                    .thenComparing(choice -> choice.contains("/*")));
        }
        return choices;
    }

    private static double worth(String choice) {
        try {
            return Double.parseDouble(parameters(choice).getOrDefault("q", "1"));
        } catch (NumberFormatException unreadable) {
            return 1;
        }
    }

    boolean isMetadata() {
        return form == Form.METADATA || form == Form.METADATA_LIST;
    }

    /** Metadata always can; a table never. */
    private boolean canBeProtobuf(boolean kindHasProtobuf) {
        return isMetadata() || (form == Form.OBJECT && kindHasProtobuf);
    }

    static ApiException notAcceptable(boolean protobuf) {
        return new ApiException(
                Reason.NotAcceptable,
                "only the following media types are accepted: application/json, application/yaml"
                        + (protobuf ? ", " + ProtobufDecoder.MEDIA_TYPE : ""));
    }

    /** YAML has no way to put one event after the other. */
    static ApiException notStreamed(boolean protobuf) {
        return new ApiException(
                Reason.NotAcceptable,
                "only the following media types are accepted: application/json;stream=watch"
                        + (protobuf ? ", " + ProtobufDecoder.MEDIA_TYPE + ";stream=watch" : ""));
    }

    /** One object is no list, nor the other way round. */
    static ApiException notOfThatForm(ResourceType type, boolean list) {
        String of = type.group().isEmpty() ? "core" : type.group().split("\\.", 2)[0];
        String name = type.isCustom() ? "unstructured.Unstructured" : of + "." + type.kind();
        return new ApiException(
                Reason.NotAcceptable,
                list
                        ? "you requested PartialObjectMetadata, but the requested object is a list (*" + name + "List)"
                        : "you requested PartialObjectMetadataList, but the requested object is not a list (*" + name
                                + ")");
    }

    private static Map<String, String> parameters(String choice) {
        String[] parts = choice.split(";");
        Map<String, String> parameters = new HashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals > 0) {
                parameters.put(
                        parts[i].substring(0, equals).strip(),
                        parts[i].substring(equals + 1).strip());
            }
        }
        return parameters;
    }

    /** Forms that every kind has, in the versions that they have; null for others. */
    private static Accept ofMeta(Form form, Media media, Map<String, String> parameters) {
        String version = parameters.getOrDefault("v", "v1");
        boolean known = (media != Media.PROTOBUF || version.equals("v1"))
                && META_VERSIONS.contains(version)
                && parameters.getOrDefault("g", META).equals(META);
        return known ? new Accept(form, media, version) : null;
    }

    /** The version of a form that every kind has, as it stands in an answer. */
    String metaVersion() {
        return META + "/" + version;
    }

    private static Accept choice(String choice) {
        Map<String, String> parameters = parameters(choice);
        Media media;
        switch (choice.split(";", -1)[0].strip().toLowerCase(Locale.ROOT)) {
            case "application/json", "*/*", "application/*" -> media = Media.JSON;
            case "application/yaml" -> media = Media.YAML;
            case ProtobufDecoder.MEDIA_TYPE -> media = Media.PROTOBUF;
            default -> {
                return null;
            }
        }
        String version = parameters.getOrDefault("v", "");
        return switch (parameters.getOrDefault("as", "")) {
            case "" -> new Accept(Form.OBJECT, media, version);
            case "Table" -> ofMeta(Form.TABLE, media, parameters);
            case "PartialObjectMetadata" -> ofMeta(Form.METADATA, media, parameters);
            case "PartialObjectMetadataList" -> ofMeta(Form.METADATA_LIST, media, parameters);
            case "APIGroupDiscoveryList" ->
                parameters.getOrDefault("g", "").equals(DISCOVERY) && DISCOVERY_VERSIONS.contains(version)
                        ? new Accept(Form.DISCOVERY, media, version)
                        : null;
            default -> null;
        };
    }
}
