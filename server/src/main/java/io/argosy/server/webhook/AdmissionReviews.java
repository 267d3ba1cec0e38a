package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.server.dynamic.RequestView;
import io.argosy.server.dynamic.Subject;
import io.argosy.server.dynamic.Subject.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The question put to a webhook, an {@code AdmissionReview}, and what its answer must look like. */
final class AdmissionReviews {
    private static final String GROUP = "admission.k8s.io/";
    private static final String KIND = "AdmissionReview";
    private static final int BAD_REQUEST = 400;

    private AdmissionReviews() {}

    /** What a webhook said; the patch is empty where it changes nothing. */
    record Verdict(
            boolean allowed, JsonNode status, JsonNode patch, List<String> warnings, Map<String, String> annotations) {}

    static ObjectNode question(Subject subject, Version version, String reviewVersion) {
        ObjectNode review = Json.object().put("kind", KIND).put("apiVersion", GROUP + reviewVersion);
        ObjectNode request = review.putObject("request");
        request.put("uid", UUID.randomUUID().toString());
        request.setAll(RequestView.of(subject, version));
        request.set("object", version.object());
        request.set("oldObject", version.before());
        return review;
    }

    static Verdict verdict(ObjectNode question, JsonNode answer, boolean mutating) throws CallException {
        try {
            return read(question, answer, mutating);
        } catch (CallException invalid) {
            throw new CallException("received invalid webhook response: " + invalid.getMessage());
        }
    }

    private static Verdict read(ObjectNode question, JsonNode answer, boolean mutating) throws CallException {
        boolean strict = question.path("apiVersion").asText().equals(GROUP + "v1");
        JsonNode response = answer.path("response");
        if (strict) {
            String expected = GROUP + "v1, Kind=" + KIND;
            String actual = answer.path("apiVersion").asText() + ", Kind="
                    + answer.path("kind").asText();
            if (!actual.equals(expected)) {
                throw new CallException("expected webhook response of " + expected + ", got "
                        + (actual.startsWith(",") ? "/" + actual : actual));
            }
        }
        if (!response.isObject()) {
            throw new CallException("webhook response was absent");
        }
        String uid = question.path("request").path("uid").asText();
        if (strict && !response.path("uid").asText("").equals(uid)) {
            throw new CallException("expected response.uid=\"" + uid + "\", got \""
                    + response.path("uid").asText("") + "\"");
        }
        return new Verdict(
                response.path("allowed").asBoolean(),
                response.path("status"),
                patch(response, strict, mutating),
                texts(response.path("warnings")),
                annotations(response.path("auditAnnotations")));
    }

    private static JsonNode patch(JsonNode response, boolean strict, boolean mutating) throws CallException {
        String patch = response.path("patch").asText("");
        boolean typed = response.hasNonNull("patchType");
        if (!mutating) {
            if (strict && !patch.isEmpty()) {
                throw new CallException("validating webhook may not return response.patch");
            }
            if (strict && typed) {
                throw new CallException("validating webhook may not return response.patchType");
            }
            return Json.NODES.arrayNode();
        }
        if (patch.isEmpty()) {
            if (strict && typed) {
                throw new CallException("webhook returned response.patchType but not response.patch");
            }
            return Json.NODES.arrayNode();
        }
        if (!typed && strict) {
            throw new CallException("webhook returned response.patch but not response.patchType");
        }
        if (typed && !response.path("patchType").asText().equals("JSONPatch")) {
            throw new CallException("invalid value of response.patchType \""
                    + response.path("patchType").asText() + "\"");
        }
        try {
            JsonNode decoded = Json.decode(Base64.getDecoder().decode(patch));
            if (decoded.isArray()) {
                return decoded;
            }
        } catch (IOException | IllegalArgumentException undecodable) {
            throw new CallException("received undecodable patch in webhook response");
        }
        throw new CallException("received undecodable patch in webhook response: it is not a list of operations");
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }

    private static Map<String, String> annotations(JsonNode map) {
        Map<String, String> annotations = new LinkedHashMap<>();
        map.properties()
                .forEach(entry ->
                        annotations.put(entry.getKey(), entry.getValue().asText()));
        return annotations;
    }

    /** A denial in the webhook's own words, after those that say whose they are. */
    static ApiException denial(String webhook, JsonNode status) {
        ApiException said = ApiException.fromStatus(status, BAD_REQUEST);
        String by = "admission webhook \"" + webhook + "\" denied the request";
        String reason = status.path("reason").asText("");
        String message = !said.getMessage().isEmpty()
                ? by + ": " + said.getMessage()
                : reason.isEmpty() ? by + " without explanation" : by + ": " + reason;
        Details details = status.path("details").isObject() ? said.details() : Details.NONE;
        int code = said.code() < BAD_REQUEST ? BAD_REQUEST : Math.min(said.code(), 599);
        return ApiException.ofOthers(code, reason, message, details);
    }
}
