package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The form in which a client wants its answer: the first one it names that we can make. */
record Accept(Form form, boolean yaml, String version) {
    enum Form {
        OBJECT,
        TABLE,
        METADATA,
        DISCOVERY
    }

    static final Accept JSON = new Accept(Form.OBJECT, false, "");

    static Accept of(String header) {
        if (header.isEmpty() || header.equals("application/json") || header.equals("*/*")) {
            return JSON;
        }
        for (String choice : header.split(",")) {
            Accept understood = choice(choice.strip());
            if (understood != null) {
                return understood;
            }
        }
        throw notAcceptable();
    }

    static ApiException notAcceptable() {
        return new ApiException(
                Reason.NotAcceptable,
                "only the following media types are accepted: application/json, application/yaml");
    }

    private static Accept choice(String choice) {
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
        boolean yaml;
        switch (parts[0].strip().toLowerCase(Locale.ROOT)) {
            case "application/json", "*/*", "application/*" -> yaml = false;
            case "application/yaml" -> yaml = true;
            default -> {
                return null;
            }
        }
        String version = parameters.getOrDefault("v", "");
        return switch (parameters.getOrDefault("as", "")) {
            case "" -> new Accept(Form.OBJECT, yaml, version);
            case "Table" -> new Accept(Form.TABLE, yaml, version);
            case "PartialObjectMetadata", "PartialObjectMetadataList" -> new Accept(Form.METADATA, yaml, version);
            case "APIGroupDiscoveryList" -> new Accept(Form.DISCOVERY, yaml, version);
            default -> null;
        };
    }
}
