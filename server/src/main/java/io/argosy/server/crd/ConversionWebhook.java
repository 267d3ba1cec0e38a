package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.Names;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.server.webhook.CallException;
import io.argosy.server.webhook.WebhookClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A webhook that knows how objects of one version look in another. It may change all of an object but its metadata, of which it may change labels and annotations. */
final class ConversionWebhook implements VersionConversion {
    private static final String GROUP = "apiextensions.k8s.io/";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Here the client gives up, not the request: clients of Kubernetes say so. */
    private static final String GAVE_UP = " (Client.Timeout exceeded while awaiting headers)";

    private static final int INTERNAL_ERROR = 500;

    /** So many objects are asked about at once. */
    private static final int AT_ONCE = 500;

    private final WebhookClient client;
    private final String definition;
    private final JsonNode webhook;

    ConversionWebhook(WebhookClient client, String definition, JsonNode webhook) {
        this.client = client;
        this.definition = definition;
        this.webhook = webhook;
    }

    @Override
    public boolean asksOthers() {
        return true;
    }

    @Override
    public void convert(List<ObjectNode> objects, String apiVersion) {
        List<ObjectNode> asked = new ArrayList<>();
        for (ObjectNode object : objects) {
            JsonNode metadata = object.path("metadata");
            if (!metadata.has("name") && !metadata.has("generateName")) {
                object.put("apiVersion", apiVersion); // tells of a revision only; there is nothing in it
            } else if (!object.path("apiVersion").asText().equals(apiVersion)) {
                asked.add(object);
            }
        }
        for (int from = 0; from < asked.size(); from += AT_ONCE) {
            ask(asked.subList(from, Math.min(asked.size(), from + AT_ONCE)), apiVersion);
        }
    }

    private void ask(List<ObjectNode> objects, String apiVersion) {
        ObjectNode first = objects.getFirst();
        String about = "conversion webhook for " + first.path("apiVersion").asText() + ", Kind="
                + first.path("kind").asText();
        ObjectNode question = question(objects, apiVersion);
        JsonNode converted;
        try {
            JsonNode answer = client.ask(
                    "conversion_webhook_for_" + definition, webhook.path("clientConfig"), question, PATIENCE);
            converted = converted(question, answer);
        } catch (CallException failed) {
            throw failure(about + " failed: " + failed.getMessage() + (failed.isLate() ? GAVE_UP : ""));
        }
        if (converted.size() != objects.size()) {
            throw failure(about + " returned " + converted.size() + " objects, expected " + objects.size());
        }
        List<ObjectNode> taken = new ArrayList<>();
        for (int i = 0; i < objects.size(); i++) {
            try {
                taken.add(taken(objects.get(i), converted.get(i), apiVersion));
            } catch (IllegalArgumentException invalid) {
                throw failure(about + " returned invalid converted object at index " + i + ": " + invalid.getMessage());
            }
        }
        for (int i = 0; i < objects.size(); i++) {
            objects.get(i).removeAll();
            objects.get(i).setAll(taken.get(i));
        }
    }

    private static ApiException failure(String message) {
        return ApiException.ofOthers(INTERNAL_ERROR, "", message, Details.NONE);
    }

    private ObjectNode question(List<ObjectNode> objects, String apiVersion) {
        String version = "v1beta1";
        for (JsonNode candidate : webhook.path("conversionReviewVersions")) {
            if (candidate.asText().equals("v1") || candidate.asText().equals("v1beta1")) {
                version = candidate.asText();
                break;
            }
        }
        ObjectNode review = Json.object().put("kind", "ConversionReview").put("apiVersion", GROUP + version);
        ObjectNode request = review.putObject("request");
        request.put("uid", UUID.randomUUID().toString()).put("desiredAPIVersion", apiVersion);
        objects.forEach(request.putArray("objects")::add);
        return review;
    }

    private static JsonNode converted(ObjectNode question, JsonNode answer) throws CallException {
        JsonNode response = answer.path("response");
        String expected = GROUP + "v1, Kind=ConversionReview";
        boolean strict = question.path("apiVersion").asText().equals(GROUP + "v1");
        String actual = answer.path("apiVersion").asText() + ", Kind="
                + answer.path("kind").asText();
        if (strict && !actual.equals(expected)) {
            throw new CallException("expected webhook response of " + expected + ", got " + actual);
        }
        if (!response.isObject()) {
            throw new CallException("no response provided");
        }
        String uid = question.path("request").path("uid").asText();
        if (strict && !response.path("uid").asText("").equals(uid)) {
            throw new CallException("expected response.uid=\"" + uid + "\", got \""
                    + response.path("uid").asText("") + "\"");
        }
        JsonNode result = response.path("result");
        if (!result.path("status").asText("").equals("Success")) {
            String message = result.path("message").asText("");
            throw new CallException(
                    message.isEmpty()
                            ? "response.result.status was '"
                                    + result.path("status").asText("") + "', not 'Success'"
                            : message);
        }
        return response.path("convertedObjects");
    }

    /** The object as converted, with its metadata as they were. */
    private static ObjectNode taken(ObjectNode original, JsonNode converted, String apiVersion) {
        same("groupVersion", apiVersion, converted.path("apiVersion").asText(""));
        same("kind", original.path("kind").asText(), converted.path("kind").asText(""));
        JsonNode before = original.path("metadata");
        if (!(converted.path("metadata") instanceof ObjectNode after)) {
            throw new IllegalArgumentException("missing metadata in converted object");
        }
        for (String field : List.of("name", "namespace", "uid")) {
            if (!before.path(field).asText("").equals(after.path(field).asText(""))) {
                throw new IllegalArgumentException("must have the same " + (field.equals("uid") ? "UID" : field) + ": "
                        + before.path(field).asText("") + " != "
                        + after.path(field).asText(""));
            }
        }
        ObjectNode metadata = before.deepCopy();
        for (String field : List.of("labels", "annotations")) {
            JsonNode now = after.path(field);
            if (now.isObject() && !now.isEmpty()) {
                checkTexts(now, field);
                metadata.set(field, now);
            } else {
                metadata.remove(field);
            }
        }
        ObjectNode taken = ((ObjectNode) converted).deepCopy();
        taken.set("metadata", metadata);
        return taken;
    }

    private static void same(String what, String expected, String received) {
        if (!expected.equals(received)) {
            throw new IllegalArgumentException(
                    "invalid " + what + " (expected " + expected + ", received " + received + ")");
        }
    }

    private static void checkTexts(JsonNode texts, String field) {
        for (Map.Entry<String, JsonNode> entry : texts.properties()) {
            if (!entry.getValue().isTextual()) {
                throw new IllegalArgumentException("metadata." + field + "[" + entry.getKey()
                        + "] must be a string, but is not in converted object");
            }
            if (field.equals("labels")) {
                Names.qualifiedNameError(entry.getKey())
                        .or(() -> Names.labelValueError(entry.getValue().asText()))
                        .ifPresent(error -> {
                            throw new IllegalArgumentException(
                                    "metadata.labels: Invalid value: \"" + entry.getKey() + "\": " + error);
                        });
            }
        }
    }
}
