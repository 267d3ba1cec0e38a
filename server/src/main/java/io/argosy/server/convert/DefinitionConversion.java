package io.argosy.server.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Definitions of custom resources as of old: what is now said for each version was said once for all. */
final class DefinitionConversion {
    private DefinitionConversion() {}

    static void toV1(ObjectNode definition) {
        if (!(definition.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        if (!spec.has("scope")) {
            spec.put("scope", "Namespaced");
        }
        if (!spec.has("preserveUnknownFields")) {
            spec.put("preserveUnknownFields", true);
        }
        JsonNode single = spec.remove("version");
        JsonNode schema = spec.remove("validation");
        JsonNode subresources = spec.remove("subresources");
        JsonNode columns = spec.remove("additionalPrinterColumns");
        JsonNode selectable = spec.remove("selectableFields");
        if (single != null && spec.path("versions").isEmpty()) {
            spec.putArray("versions")
                    .addObject()
                    .put("name", single.asText())
                    .put("served", true)
                    .put("storage", true);
        }
        for (JsonNode version : spec.path("versions")) {
            if (version instanceof ObjectNode one) {
                inherit(one, "schema", schema);
                inherit(one, "subresources", subresources);
                inherit(one, "additionalPrinterColumns", columns);
                inherit(one, "selectableFields", selectable);
                renamePaths(one, "JSONPath", "jsonPath");
            }
        }
        webhookToV1(spec);
    }

    private static void renamePaths(JsonNode version, String from, String to) {
        for (JsonNode column : version.path("additionalPrinterColumns")) {
            if (column instanceof ObjectNode named) {
                Conversions.rename(named, from, to);
            }
        }
    }

    private static void inherit(ObjectNode version, String field, JsonNode common) {
        if (common != null && !version.has(field)) {
            version.set(field, common.deepCopy());
        }
    }

    private static void webhookToV1(ObjectNode spec) {
        if (spec.get("conversion") instanceof ObjectNode conversion) {
            JsonNode client = conversion.remove("webhookClientConfig");
            JsonNode versions = conversion.remove("conversionReviewVersions");
            if (client != null) {
                ObjectNode webhook = conversion.putObject("webhook");
                webhook.set("clientConfig", client);
                if (versions == null) {
                    webhook.putArray("conversionReviewVersions").add("v1beta1");
                } else {
                    webhook.set("conversionReviewVersions", versions);
                }
            }
        }
    }

    static void fromV1(ObjectNode definition) {
        if (!(definition.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        if (spec.path("versions") instanceof ArrayNode versions && !versions.isEmpty()) {
            spec.put("version", versions.get(0).path("name").asText());
            versions.forEach(version -> renamePaths(version, "jsonPath", "JSONPath"));
            common(spec, versions, "schema", "validation");
            for (String field : List.of("subresources", "additionalPrinterColumns", "selectableFields")) {
                common(spec, versions, field, field);
            }
        }
        if (spec.get("conversion") instanceof ObjectNode conversion
                && conversion.remove("webhook") instanceof ObjectNode webhook) {
            conversion.set("webhookClientConfig", webhook.path("clientConfig"));
            conversion.set("conversionReviewVersions", webhook.path("conversionReviewVersions"));
        }
    }

    /** What is the same in all versions is said once. */
    private static void common(ObjectNode spec, ArrayNode versions, String field, String name) {
        JsonNode first = versions.get(0).get(field);
        boolean same = first != null;
        for (JsonNode version : versions) {
            same &= version.path(field).equals(first);
        }
        if (same) {
            spec.set(name, first);
            versions.forEach(version -> ((ObjectNode) version).remove(field));
        }
    }
}
