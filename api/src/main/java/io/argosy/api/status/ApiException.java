package io.argosy.api.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import java.util.ArrayList;
import java.util.List;

/** A refusal in the API's own form: what a client receives as a {@code Status} object. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** The reason as clients read it; that of who was asked, where somebody else refused, and then it may be empty. */
    private final String reasonText;

    private final int code;
    private final transient Details details;

    /** Where an interrupted list could go on; empty if that is not the matter. */
    private final String continueToken;

    /** What the refusal is about. Fields may be empty; causes are never null. */
    public record Details(
            String name, String group, String kind, String uid, List<Cause> causes, int retryAfterSeconds) {
        public static final Details NONE = new Details("", "", "", "", List.of(), 0);

        public static Details of(GroupResource resource, String name) {
            return new Details(name, resource.group(), resource.resource(), "", List.of(), 0);
        }

        public Details withCauses(List<Cause> causes) {
            return new Details(name, group, kind, uid, List.copyOf(causes), retryAfterSeconds);
        }

        public Details withRetryAfter(int seconds) {
            return new Details(name, group, kind, uid, causes, seconds);
        }
    }

    public ApiException(Reason reason, int code, String message, Details details) {
        this(reason, reason.name(), code, message, details, "");
    }

    private ApiException(
            Reason reason, String reasonText, int code, String message, Details details, String continueToken) {
        super(message, null, false, false);
        this.reason = reason;
        this.reasonText = reasonText;
        this.code = code;
        this.details = details;
        this.continueToken = continueToken;
    }

    /** The same, with a token by which the client can go on all the same. */
    public ApiException withContinue(String token) {
        return new ApiException(reason, reasonText, code, getMessage(), details, token);
    }

    public ApiException(Reason reason, String message, Details details) {
        this(reason, reason.code(), message, details);
    }

    public ApiException(Reason reason, String message) {
        this(reason, message, Details.NONE);
    }

    /** The refusal of somebody who was asked, with a code and a reason of their choosing, which need not be one of ours. */
    public static ApiException ofOthers(int code, String reasonText, String message, Details details) {
        Reason known = Reason.InternalError;
        for (Reason candidate : Reason.values()) {
            if (candidate.name().equals(reasonText) || (reasonText.isEmpty() && candidate.code() == code)) {
                known = candidate;
            }
        }
        return new ApiException(known, reasonText, code, message, details, "");
    }

    public static ApiException internal(String message) {
        return new ApiException(
                Reason.InternalError,
                "Internal error occurred: " + message,
                Details.NONE.withCauses(List.of(new Cause("", message, ""))));
    }

    public static ApiException badRequest(String message) {
        return new ApiException(Reason.BadRequest, message);
    }

    public static ApiException notFound(GroupResource resource, String name) {
        return new ApiException(Reason.NotFound, resource + " \"" + name + "\" not found", Details.of(resource, name));
    }

    public static ApiException alreadyExists(GroupResource resource, String name) {
        return new ApiException(
                Reason.AlreadyExists, resource + " \"" + name + "\" already exists", Details.of(resource, name));
    }

    public static ApiException conflict(GroupResource resource, String name, String why) {
        return new ApiException(
                Reason.Conflict,
                "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why,
                Details.of(resource, name));
    }

    public static ApiException forbidden(GroupResource resource, String name, String why) {
        String about = name.isEmpty() ? resource.toString() : resource + " \"" + name + "\"";
        return new ApiException(Reason.Forbidden, about + " is forbidden: " + why, Details.of(resource, name));
    }

    /** All errors of one object in one answer, as Kubernetes words it. */
    public static ApiException invalid(String group, String kind, String name, List<Cause> causes) {
        StringBuilder message = new StringBuilder();
        message.append(group.isEmpty() ? kind : kind + "." + group);
        message.append(" \"").append(name).append("\" is invalid: ");
        List<String> lines = new ArrayList<>();
        for (Cause cause : causes) {
            lines.add(cause.field().isEmpty() ? cause.message() : cause.field() + ": " + cause.message());
        }
        message.append(lines.size() == 1 ? lines.getFirst() : "[" + String.join(", ", lines) + "]");
        return new ApiException(
                Reason.Invalid, message.toString(), new Details(name, group, kind, "", List.copyOf(causes), 0));
    }

    public Reason reason() {
        return reason;
    }

    public int code() {
        return code;
    }

    public Details details() {
        return details;
    }

    /** Whether one of its causes has this reason. */
    public boolean hasCause(String reason) {
        return details().causes().stream().anyMatch(cause -> cause.reason().equals(reason));
    }

    public boolean is(Reason expected) {
        return reason == expected;
    }

    public ObjectNode toStatus() {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1");
        putUnlessEmpty(status.putObject("metadata"), "continue", continueToken);
        status.put("status", "Failure").put("message", getMessage());
        putUnlessEmpty(status, "reason", reasonText);
        if (details != Details.NONE) {
            ObjectNode about = status.putObject("details");
            putUnlessEmpty(about, "name", details.name());
            putUnlessEmpty(about, "group", details.group());
            putUnlessEmpty(about, "kind", details.kind());
            putUnlessEmpty(about, "uid", details.uid());
            if (!details.causes().isEmpty()) {
                ArrayNode causes = about.putArray("causes");
                for (Cause cause : details.causes()) {
                    ObjectNode one = causes.addObject();
                    putUnlessEmpty(one, "reason", cause.reason());
                    one.put("message", cause.message());
                    putUnlessEmpty(one, "field", cause.field());
                }
            }
            if (details.retryAfterSeconds() > 0) {
                about.put("retryAfterSeconds", details.retryAfterSeconds());
            }
        }
        return status.put("code", code);
    }

    /** Reads a {@code Status} that a server sent. */
    public static ApiException fromStatus(JsonNode status, int httpCode) {
        Reason reason = Reason.InternalError;
        String named = status.path("reason").asText();
        for (Reason candidate : Reason.values()) {
            if (candidate.name().equals(named)) {
                reason = candidate;
            }
        }
        JsonNode about = status.path("details");
        List<Cause> causes = new ArrayList<>();
        for (JsonNode cause : about.path("causes")) {
            causes.add(new Cause(
                    cause.path("reason").asText(),
                    cause.path("message").asText(),
                    cause.path("field").asText()));
        }
        Details details = new Details(
                about.path("name").asText(),
                about.path("group").asText(),
                about.path("kind").asText(),
                about.path("uid").asText(),
                causes,
                about.path("retryAfterSeconds").asInt());
        return new ApiException(
                reason,
                status.path("code").asInt(httpCode),
                status.path("message").asText(),
                details);
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }
}
