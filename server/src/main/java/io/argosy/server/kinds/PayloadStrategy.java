package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** ConfigMaps and Secrets: keys with values, which may be declared unchangeable. */
final class PayloadStrategy implements Strategy {
    private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");
    private static final int KEY_LIMIT = 253;
    private static final int TOTAL_LIMIT = 1 << 20;

    private final boolean secret;

    PayloadStrategy(boolean secret) {
        this.secret = secret;
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        if (!secret) {
            return;
        }
        setDefault(object, "type", "Opaque");
        if (object.remove("stringData") instanceof ObjectNode plain) {
            ObjectNode data = child(object, "data");
            for (Map.Entry<String, JsonNode> entry : plain.properties()) {
                byte[] text = entry.getValue().asText().getBytes(StandardCharsets.UTF_8);
                data.put(entry.getKey(), Base64.getEncoder().encodeToString(text));
            }
        }
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        long total = 0;
        for (String field : List.of("data", "binaryData")) {
            for (Map.Entry<String, JsonNode> entry : object.path(field).properties()) {
                String key = entry.getKey();
                if (key.length() > KEY_LIMIT || !KEY.matcher(key).matches() || key.equals(".") || key.equals("..")) {
                    errors.invalid(
                            field + "[" + key + "]",
                            key,
                            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
                                    + " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
                }
                total += entry.getValue().asText().length();
                if ((secret || field.equals("binaryData"))
                        && !isBase64(entry.getValue().asText())) {
                    errors.invalid(field + "[" + key + "]", "<base64>", "illegal base64 data");
                }
            }
        }
        if (total > TOTAL_LIMIT) {
            errors.tooLong("data", TOTAL_LIMIT);
        }
    }

    private static boolean isBase64(String text) {
        try {
            Base64.getDecoder().decode(text);
            return true;
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        if (secret && !object.path("type").equals(before.path("type"))) {
            errors.invalid("type", object.path("type").asText(), "field is immutable");
        }
        if (!before.path("immutable").asBoolean()) {
            return;
        }
        if (!object.path("immutable").asBoolean()) {
            errors.forbidden("immutable", "field is immutable when `immutable` is set");
        }
        for (String field : List.of("data", "binaryData")) {
            if (!object.path(field).equals(before.path(field))) {
                errors.forbidden(field, "field is immutable when `immutable` is set");
            }
        }
    }
}
