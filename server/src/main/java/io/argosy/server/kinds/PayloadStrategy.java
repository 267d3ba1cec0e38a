package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.warnings.KeyPairs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
    public void warn(ObjectNode object, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (secret && object.path("type").asText().equals("kubernetes.io/tls")) {
            byte[] certificate = decoded(object.path("data").path("tls.crt").asText());
            byte[] key = decoded(object.path("data").path("tls.key").asText());
            KeyPairs.error(certificate, key).ifPresent(warnings);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        check(object, errors);
    }

    private void check(ObjectNode object, FieldErrors errors) {
        long total = 0;
        for (String field : List.of("data", "binaryData")) {
            for (Map.Entry<String, JsonNode> entry : object.path(field).properties()) {
                String place = field + "[" + entry.getKey() + "]";
                checkKey(entry.getKey(), place, errors);
                if (field.equals("data") && object.path("binaryData").has(entry.getKey())) {
                    errors.invalid(place, entry.getKey(), "duplicate of key present in binaryData");
                }
                String text = entry.getValue().asText();
                if (!secret && field.equals("data")) {
                    total += text.getBytes(StandardCharsets.UTF_8).length;
                } else {
                    byte[] bytes = decoded(text);
                    if (bytes == null) {
                        errors.invalid(place, "<base64>", "illegal base64 data");
                    } else {
                        total += bytes.length;
                    }
                }
            }
        }
        if (total > TOTAL_LIMIT) {
            errors.tooLong(secret ? "data" : "", TOTAL_LIMIT);
        }
        if (secret) {
            checkType(object, errors);
        }
    }

    private static void checkKey(String key, String place, FieldErrors errors) {
        if (key.length() > KEY_LIMIT) {
            errors.invalid(place, key, "must be no more than " + KEY_LIMIT + " characters");
        }
        if (!KEY.matcher(key).matches()) {
            errors.invalid(
                    place,
                    key,
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
                            + " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
        }
        if (key.equals(".") || key.equals("..")) {
            errors.invalid(place, key, "must not be '" + key + "'");
        } else if (key.startsWith("..")) {
            errors.invalid(place, key, "must not start with '..'");
        }
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    /** What the types that Kubernetes knows promise to those who use them. */
    private static void checkType(ObjectNode secret, FieldErrors errors) {
        JsonNode data = secret.path("data");
        switch (secret.path("type").asText()) {
            case "kubernetes.io/service-account-token" -> {
                String key = "kubernetes.io/service-account.name";
                if (secret.path("metadata")
                        .path("annotations")
                        .path(key)
                        .asText("")
                        .isEmpty()) {
                    errors.required("metadata.annotations[" + key + "]", "");
                }
            }
            case "kubernetes.io/dockercfg" -> checkJson(data, ".dockercfg", errors);
            case "kubernetes.io/dockerconfigjson" -> checkJson(data, ".dockerconfigjson", errors);
            case "kubernetes.io/basic-auth" -> {
                if (!data.has("username") && !data.has("password")) {
                    errors.required("data[username]", "");
                    errors.required("data[password]", "");
                }
            }
            case "kubernetes.io/ssh-auth" -> {
                if (data.path("ssh-privatekey").asText("").isEmpty()) {
                    errors.required("data[ssh-privatekey]", "");
                }
            }
            case "kubernetes.io/tls" -> {
                for (String key : List.of("tls.crt", "tls.key")) {
                    if (!data.has(key)) {
                        errors.required("data[" + key + "]", "");
                    }
                }
            }
            default -> {} // anything goes
        }
    }

    private static void checkJson(JsonNode data, String key, FieldErrors errors) {
        if (!data.has(key)) {
            errors.required("data[" + key + "]", "");
            return;
        }
        byte[] bytes = decoded(data.path(key).asText());
        try {
            if (bytes != null && !Json.decode(bytes).isObject()) {
                errors.invalid("data[" + key + "]", "<secret contents redacted>", "must be a JSON object");
            }
        } catch (IOException notJson) { // whose message would tell what it found there
            errors.invalid("data[" + key + "]", "<secret contents redacted>", "must be well-formed JSON");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        if (secret && !object.path("type").equals(before.path("type"))) {
            errors.invalid("type", object.path("type").asText(), "field is immutable");
        }
        if (before.path("immutable").asBoolean()) {
            unchanged(object, before, errors);
        }
        check(object, errors);
    }

    private static void unchanged(ObjectNode object, ObjectNode before, FieldErrors errors) {
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
