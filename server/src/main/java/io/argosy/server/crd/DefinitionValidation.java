package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.webhook.ClientConfigValidation;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The rules for definitions themselves. */
final class DefinitionValidation {
    private static final List<String> COLUMN_TYPES = List.of("boolean", "date", "integer", "number", "string");
    private static final List<String> COLUMN_FORMATS =
            List.of("byte", "date", "date-time", "double", "float", "int32", "int64", "password");
    private static final int MAX_SELECTABLE = 8;

    private final ObjectNode definition;
    private final JsonNode spec;
    private final FieldErrors errors;

    /** Definitions of old keep all fields, and their schemas need not be structural. */
    private final boolean preserving;

    private DefinitionValidation(ObjectNode definition, FieldErrors errors) {
        this.definition = definition;
        this.spec = definition.path("spec");
        this.errors = errors;
        this.preserving = spec.path("preserveUnknownFields").asBoolean();
    }

    static void validate(ObjectNode definition, ObjectNode before, FieldErrors errors) {
        DefinitionValidation validation = new DefinitionValidation(definition, errors);
        if (before == null) {
            validation.name();
        }
        validation.spec(before);
        if (before != null) {
            validation.change(
                    before.path("spec"), Definition.conditionIs(before.path("status"), "Established", "True"));
        }
        validation.storedVersions();
    }

    private void name() {
        String name = definition.path("metadata").path("name").asText();
        String wanted = spec.path("names").path("plural").asText() + "."
                + spec.path("group").asText();
        if (!name.isEmpty() && !name.equals(wanted)) {
            errors.invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
        }
    }

    private void spec(ObjectNode before) {
        String group = spec.path("group").asText("");
        if (group.isEmpty()) {
            errors.required("spec.group", "");
        } else if (Names.subdomainError(group).isPresent()) {
            errors.invalid("spec.group", group, Names.subdomainError(group).get());
        } else if (group.indexOf('.') < 0) {
            errors.invalid("spec.group", group, "should be a domain with at least one dot");
        }
        String scope = spec.path("scope").asText("");
        if (scope.isEmpty()) {
            errors.required("spec.scope", "");
        } else if (!List.of("Cluster", "Namespaced").contains(scope)) {
            errors.notSupported("spec.scope", scope, List.of("Cluster", "Namespaced"));
        }
        versions(before == null ? Set.of() : unchanged(before));
        names();
        conversion(spec.path("conversion"), before);
    }

    /** The schemas of the versions that were there before, so that they are not doubted again. */
    private static Set<JsonNode> unchanged(ObjectNode before) {
        Set<JsonNode> schemas = new HashSet<>();
        before.path("spec").path("versions").forEach(version -> schemas.add(Definition.schemaOf(version)));
        return schemas;
    }

    private void versions(Set<JsonNode> known) {
        JsonNode versions = spec.path("versions").isArray() ? spec.path("versions") : Json.NODES.arrayNode();
        int stored = 0;
        Set<String> names = new HashSet<>();
        boolean unique = true;
        for (int i = 0; i < versions.size(); i++) {
            JsonNode version = versions.get(i);
            String path = "spec.versions[" + i + "]";
            String name = version.path("name").asText();
            unique &= names.add(name);
            stored += version.path("storage").asBoolean() ? 1 : 0;
            Names.label1035Error(name).ifPresent(error -> errors.invalid(path + ".name", name, error));
            version(version, path, known.contains(Definition.schemaOf(version)));
        }
        if (!unique) {
            errors.invalid("spec.versions", versions, "must contain unique version names");
        }
        if (stored != 1) {
            errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
        }
    }

    private void version(JsonNode version, String path, boolean known) {
        if (version.has("deprecationWarning")) {
            deprecation(version, path + ".deprecationWarning");
        }
        JsonNode schema = Definition.schemaOf(version);
        String at = path + ".schema.openAPIV3Schema";
        if (schema.isObject()) {
            if (!known) {
                schema(schema, at, version.path("subresources").has("status"));
            }
        } else if (!preserving) {
            errors.required(at, "");
        }
        subresources(version.path("subresources"), path + ".subresources");
        for (int i = 0; i < version.path("additionalPrinterColumns").size(); i++) {
            column(version.path("additionalPrinterColumns").get(i), path + ".additionalPrinterColumns[" + i + "]");
        }
        selectable(version, schema, path + ".selectableFields");
    }

    private void deprecation(JsonNode version, String path) {
        String warning = version.path("deprecationWarning").asText();
        if (!version.path("deprecated").asBoolean()) {
            errors.invalid(path, warning, "can only be set for deprecated versions");
        } else if (warning.length() > 256) {
            errors.invalid(path, warning, "must be <= 256 characters long");
        } else if (warning.isEmpty()) {
            errors.invalid(path, warning, "must not be an empty string");
        } else {
            int index = unprintable(warning);
            if (index >= 0) {
                errors.invalid(
                        path,
                        warning,
                        "must only contain printable UTF-8 characters; non-printable character found at index "
                                + index);
            }
        }
    }

    /** The first byte of the first character that cannot be shown; negative if all can. */
    private static int unprintable(String text) {
        int bytes = 0;
        for (int c : text.codePoints().toArray()) {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.PRIVATE_USE,
                        Character.UNASSIGNED,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> {
                    return bytes;
                }
                case Character.SPACE_SEPARATOR -> {
                    if (c != ' ') {
                        return bytes;
                    }
                }
                default -> {}
            }
            bytes += Character.toString(c).getBytes(StandardCharsets.UTF_8).length;
        }
        return -1;
    }

    private void schema(JsonNode schema, String path, boolean hasStatus) {
        if (schema.path("nullable").asBoolean()) {
            errors.forbidden(path + ".nullable", "nullable cannot be true at the root");
        }
        if (hasStatus) {
            RootSchema.check(schema, path, errors);
        }
        new SchemaCheckup(errors).check(schema, path);
        String text = schema.toString();
        boolean mustBeStructural = !preserving || text.contains("\"x-kubernetes-") || text.contains("\"default\":");
        if (mustBeStructural) {
            int before = errors.causes().size();
            new StructuralCheck(errors).check(schema, path);
            if (errors.causes().size() == before) {
                StructuralSchema compiled = StructuralSchema.of(schema);
                DefaultsCheck defaults = new DefaultsCheck(errors);
                defaults.values(compiled, path);
                Rules.check(compiled, path, errors);
                if (errors.causes().size() == before) {
                    defaults.rules(compiled, path);
                }
            }
        }
    }

    private void subresources(JsonNode subresources, String path) {
        JsonNode scale = subresources.path("scale");
        if (!scale.isObject()) {
            return;
        }
        String wanted = scale.path("specReplicasPath").asText("");
        if (wanted.isEmpty()) {
            errors.required(path + ".scale.specReplicasPath", "");
        } else if (simplePath(wanted, path + ".scale.specReplicasPath") && !wanted.startsWith(".spec.")) {
            errors.invalid(path + ".scale.specReplicasPath", wanted, "should be a json path under .spec");
        }
        String actual = scale.path("statusReplicasPath").asText("");
        if (actual.isEmpty()) {
            errors.required(path + ".scale.statusReplicasPath", "");
        } else if (simplePath(actual, path + ".scale.statusReplicasPath") && !actual.startsWith(".status.")) {
            errors.invalid(path + ".scale.statusReplicasPath", actual, "should be a json path under .status");
        }
        String selector = scale.path("labelSelectorPath").asText("");
        if (!selector.isEmpty()
                && simplePath(selector, path + ".scale.labelSelectorPath")
                && !selector.startsWith(".spec.")
                && !selector.startsWith(".status.")) {
            errors.invalid(
                    path + ".scale.labelSelectorPath", selector, "should be a json path under either .spec or .status");
        }
    }

    private boolean simplePath(String path, String field) {
        if (!path.startsWith(".")) {
            errors.invalid(field, path, "must be a simple json path starting with .");
        } else if (path.contains("[") || path.contains("..") || path.endsWith(".")) {
            errors.invalid(field, path, "must be a json path in the dot notation");
        } else {
            return true;
        }
        return false;
    }

    private void column(JsonNode column, String path) {
        if (column.path("name").asText("").isEmpty()) {
            errors.required(path + ".name", "");
        }
        String type = column.path("type").asText("");
        String types = "must be one of " + String.join(",", COLUMN_TYPES);
        if (type.isEmpty()) {
            errors.required(path + ".type", types);
        } else if (!COLUMN_TYPES.contains(type)) {
            errors.invalid(path + ".type", type, types);
        }
        String format = column.path("format").asText("");
        if (!format.isEmpty() && !COLUMN_FORMATS.contains(format)) {
            errors.invalid(path + ".format", format, "must be one of " + String.join(",", COLUMN_FORMATS));
        }
        if (column.path("jsonPath").asText("").isEmpty()) {
            errors.required(path + ".JSONPath", "");
        }
    }

    private void selectable(JsonNode version, JsonNode schema, String path) {
        JsonNode fields = version.path("selectableFields");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < fields.size(); i++) {
            String at = path + "[" + i + "].jsonPath";
            String field = fields.get(i).path("jsonPath").asText("");
            if (field.isEmpty()) {
                errors.required(at, "");
                continue;
            }
            JsonNode found = schema;
            for (String step : field.substring(1).split("\\.", -1)) {
                found = found.path("properties").path(step);
            }
            if (!field.startsWith(".") || found.isMissingNode()) {
                errors.invalid(at, field, "is an invalid path: does not refer to a valid field");
            } else if (field.startsWith(".metadata.") || field.equals(".metadata")) {
                errors.invalid(at, field, "must not point to fields in metadata");
            } else if (!List.of("string", "boolean", "integer")
                    .contains(found.path("type").asText(""))) {
                errors.invalid(
                        at,
                        field,
                        "must point to a field of type string, boolean or integer. Enum string fields and strings with"
                                + " formats are allowed.");
            }
            if (!seen.add(field)) {
                errors.duplicate(at, field);
            }
        }
        if (seen.size() > MAX_SELECTABLE) {
            errors.tooMany(path, seen.size(), MAX_SELECTABLE);
        }
    }

    private void names() {
        JsonNode names = spec.path("names");
        for (String field : List.of("plural", "singular", "kind", "listKind")) {
            String name = names.path(field).asText("");
            if (name.isEmpty()) {
                errors.required("spec.names." + field, "");
                continue;
            }
            boolean mixed = field.equals("kind") || field.equals("listKind");
            String lower = mixed ? name.toLowerCase(Locale.ROOT) : name;
            Names.label1035Error(lower)
                    .ifPresent(error -> errors.invalid(
                            "spec.names." + field,
                            name,
                            mixed ? "may have mixed case, but should otherwise match: " + error : error));
        }
        for (String field : List.of("shortNames", "categories")) {
            for (int i = 0; i < names.path(field).size(); i++) {
                String name = names.path(field).get(i).asText();
                String path = "spec.names." + field + "[" + i + "]";
                Names.label1035Error(name).ifPresent(error -> errors.invalid(path, name, error));
            }
        }
        String kind = names.path("kind").asText("");
        if (!kind.isEmpty() && kind.equals(names.path("listKind").asText())) {
            errors.invalid("spec.names.listKind", kind, "kind and listKind may not be the same");
        }
    }

    private void conversion(JsonNode conversion, ObjectNode before) {
        String strategy = conversion.path("strategy").asText("");
        if (strategy.isEmpty()) {
            errors.required("spec.conversion.strategy", "");
        } else if (!List.of("None", "Webhook").contains(strategy)) {
            errors.notSupported("spec.conversion.strategy", strategy, List.of("None", "Webhook"));
        }
        JsonNode webhook = conversion.path("webhook");
        if (!strategy.equals("Webhook")) {
            if (webhook.has("clientConfig")) {
                errors.forbidden(
                        "spec.conversion.webhookClientConfig", "should not be set when strategy is not set to Webhook");
            }
            if (!webhook.path("conversionReviewVersions").isEmpty()) {
                errors.forbidden(
                        "spec.conversion.conversionReviewVersions",
                        "should not be set when strategy is not set to Webhook");
            }
            return;
        }
        if (preserving) {
            errors.invalid("spec.conversion.strategy", strategy, "must be None if spec.preserveUnknownFields is true");
        }
        JsonNode client = webhook.path("clientConfig");
        if (!client.isObject()) {
            errors.required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
        } else {
            new ClientConfigValidation(errors).check(client, "spec.conversion.webhookClientConfig");
            if (!mayHaveAnyBundle(before)) {
                ClientConfigValidation.bundleError(client)
                        .ifPresent(error -> errors.invalid(
                                "spec.conversion.webhookClientConfig.caBundle",
                                client.path("caBundle").asText(),
                                error));
            }
        }
        JsonNode versions = webhook.path("conversionReviewVersions");
        List<String> accepted = List.of("v1", "v1beta1");
        if (versions.isEmpty()) {
            errors.required("spec.conversion.conversionReviewVersions", "");
        } else if (Definition.texts(versions).stream().noneMatch(accepted::contains)) {
            errors.invalid(
                    "spec.conversion.conversionReviewVersions",
                    versions,
                    "must include at least one of " + String.join(", ", accepted));
        }
    }

    /** Who is to be trusted may be written later, but what works is not to be broken. */
    private static boolean mayHaveAnyBundle(ObjectNode before) {
        return before == null
                || !Definition.conditionIs(before.path("status"), "Established", "True")
                || ClientConfigValidation.bundleError(before.at("/spec/conversion/webhook/clientConfig"))
                        .isPresent();
    }

    private void change(JsonNode old, boolean established) {
        if (established) {
            immutable(old, "scope");
            immutable(old.path("names"), spec.path("names"), "spec.names.", "kind");
        }
        immutable(old, "group");
        immutable(old.path("names"), spec.path("names"), "spec.names.", "plural");
        if (preserving && !old.path("preserveUnknownFields").asBoolean()) {
            errors.invalid("spec.preserveUnknownFields", true, DefinitionForm.NOT_PRESERVING);
        }
    }

    private void immutable(JsonNode old, String field) {
        immutable(old, spec, "spec.", field);
    }

    private void immutable(JsonNode old, JsonNode now, String path, String field) {
        if (!old.path(field).equals(now.path(field))) {
            errors.invalid(path + field, ValueValidation.show(now.path(field)), "field is immutable");
        }
    }

    private void storedVersions() {
        List<String> stored = Definition.texts(definition.path("status").path("storedVersions"));
        String path = "status.storedVersions";
        if (stored.isEmpty()) {
            errors.invalid(path, stored, "must have at least one stored version");
            return;
        }
        Set<String> versions = new HashSet<>();
        for (JsonNode version : spec.path("versions")) {
            String name = version.path("name").asText();
            versions.add(name);
            if (version.path("storage").asBoolean() && !stored.contains(name)) {
                errors.invalid(
                        path,
                        definition.path("status").path("storedVersions"),
                        "must have the storage version " + name);
            }
        }
        for (int i = 0; i < stored.size(); i++) {
            String name = stored.get(i);
            if (!versions.contains(name)) {
                errors.invalid(
                        path + "[" + i + "]",
                        name,
                        "missing from spec.versions; " + name
                                + " was previously a storage version, and must remain in spec.versions until a storage"
                                + " migration ensures no data remains persisted in " + name + " and removes " + name
                                + " from status.storedVersions");
            }
        }
    }
}
