package io.argosy.server.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What is to be written of one request; filled while it is carried out. */
public final class AuditRecord {
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    static final String DECISION = "authorization.k8s.io/decision";
    static final String FORBID = "forbid";
    private static final String PATCHES = "patch.webhook.admission.k8s.io/";

    private final Audit audit;
    private final Action action;
    private final Origin origin;
    private final AuditPolicy.Verdict verdict;
    private final Instant received;
    private final Map<String, String> annotations = new ConcurrentHashMap<>();
    private final Latencies latencies = new Latencies();
    private volatile String removedIn;
    private volatile User impersonated;
    private volatile ObjectNode status;
    private volatile JsonNode requestObject;
    private volatile JsonNode responseObject;
    private volatile boolean ended;

    AuditRecord(Audit audit, Action action, Origin origin, AuditPolicy.Verdict verdict, Instant received) {
        this.audit = audit;
        this.action = action;
        this.origin = origin;
        this.verdict = verdict;
        this.received = received;
    }

    /** Whether the bodies of answers are written. */
    public boolean wantsResponse() {
        return action.isOnResource() && verdict.level().holds(Level.RequestResponse);
    }

    /** What the request said of itself beside its object. */
    Map<String, String> annotations() {
        return annotations;
    }

    void spent(Layer where, Duration time) {
        latencies.add(where, time);
    }

    void deprecated(String release) {
        removedIn = release;
    }

    void impersonates(User other) {
        impersonated = other;
    }

    /** The object that was sent; its name is told at every level, the rest from {@link Level#Request} on. */
    public void requested(JsonNode object) {
        requestObject = object;
    }

    public void responded(JsonNode object) {
        responseObject = object;
    }

    /** The answer has begun and goes on. */
    public void started(int code) {
        status = code(code);
        write(Stage.ResponseStarted);
    }

    public void complete(int code) {
        end(code(code), Stage.ResponseComplete);
    }

    public void refused(ApiException refusal) {
        ObjectNode failure = refusal.toStatus();
        if (wantsResponse()) {
            responseObject = failure;
        }
        end(refusal(failure), Stage.ResponseComplete);
    }

    /** Nobody was let in. */
    public void unauthenticated(ApiException refusal) {
        end(refusal(refusal.toStatus()), Stage.ResponseStarted);
    }

    public void failed() {
        ObjectNode failure = code(500);
        failure.put("status", "Failure").put("reason", "InternalError").put("message", "APIServer panic'd");
        end(failure, Stage.Panic);
    }

    private static ObjectNode code(int code) {
        ObjectNode status = Json.object();
        status.putObject("metadata");
        return status.put("code", code);
    }

    private static ObjectNode refusal(ObjectNode failure) {
        ObjectNode status = code(failure.path("code").asInt());
        for (String field : List.of("status", "message", "reason", "details")) {
            if (failure.has(field)) {
                status.set(field, failure.get(field));
            }
        }
        return status;
    }

    private void end(ObjectNode with, Stage stage) {
        if (!ended) {
            ended = true;
            status = with;
            write(stage);
        }
    }

    void write(Stage stage) {
        if (!verdict.omitStages().contains(stage)) {
            audit.write(event(stage));
        }
    }

    private ObjectNode event(Stage stage) {
        ObjectNode event = Json.object()
                .put("kind", "Event")
                .put("apiVersion", "audit.k8s.io/v1")
                .put("level", verdict.level().name())
                .put("auditID", origin.id())
                .put("stage", stage.name())
                .put("requestURI", origin.uri())
                .put("verb", action.verb());
        event.set("user", user(action.user()));
        if (impersonated != null) {
            event.set("impersonatedUser", user(impersonated));
        }
        ArrayNode addresses = event.putArray("sourceIPs");
        origin.addresses().forEach(addresses::add);
        if (!origin.agent().isEmpty()) {
            event.put("userAgent", origin.agent());
        }
        if (action.isOnResource()) {
            event.set("objectRef", reference(stage != Stage.RequestReceived));
        }
        if (stage != Stage.RequestReceived) {
            addAnswer(event);
        }
        event.put("requestReceivedTimestamp", MICROS.format(received));
        Instant now = stage == Stage.RequestReceived ? received : audit.now();
        event.put("stageTimestamp", MICROS.format(now));
        Map<String, String> annotations = told(stage, now);
        if (!annotations.isEmpty()) {
            annotations.forEach(event.putObject("annotations")::put);
        }
        return event;
    }

    private Map<String, String> told(Stage stage, Instant now) {
        Map<String, String> told = new TreeMap<>(annotations);
        if (!verdict.level().holds(Level.Request)) {
            told.keySet().removeIf(key -> key.startsWith(PATCHES)); // they are parts of objects
        }
        boolean refused = FORBID.equals(annotations.get(DECISION));
        if (removedIn != null && !refused) {
            told.put("k8s.io/deprecated", "true");
            if (!removedIn.isEmpty()) {
                told.put("k8s.io/removed-release", removedIn);
            }
        }
        if (stage == Stage.ResponseComplete) {
            told.putAll(latencies.told(Duration.between(received, now)));
        }
        return told;
    }

    private void addAnswer(ObjectNode event) {
        if (status != null) {
            event.set("responseStatus", status);
        }
        if (requestObject != null && verdict.level().holds(Level.Request)) {
            event.set("requestObject", shown(requestObject));
        }
        if (responseObject != null && wantsResponse()) {
            event.set("responseObject", shown(responseObject));
        }
    }

    /** Without the list of who owns which fields, where the policy says so. */
    private JsonNode shown(JsonNode object) {
        if (!verdict.omitManagedFields()) {
            return object;
        }
        JsonNode copy = object.deepCopy();
        bare(copy);
        copy.path("items").forEach(AuditRecord::bare);
        return copy;
    }

    private static void bare(JsonNode object) {
        if (object.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
    }

    private ObjectNode reference(boolean withBody) {
        ObjectNode reference = Json.object();
        JsonNode metadata = requestObject == null || !withBody ? Json.object() : requestObject.path("metadata");
        put(reference, "resource", action.resource());
        put(reference, "namespace", action.namespace(), metadata.path("namespace"));
        put(reference, "name", action.name(), metadata.path("name"));
        put(reference, "uid", "", metadata.path("uid"));
        put(reference, "apiGroup", action.group());
        put(reference, "apiVersion", action.version());
        put(reference, "resourceVersion", "", metadata.path("resourceVersion"));
        put(reference, "subresource", action.subresource());
        return reference;
    }

    private static void put(ObjectNode reference, String name, String value, JsonNode otherwise) {
        put(reference, name, value.isEmpty() ? otherwise.asText("") : value);
    }

    private static void put(ObjectNode reference, String name, String value) {
        if (!value.isEmpty()) {
            reference.put(name, value);
        }
    }

    private static ObjectNode user(User user) {
        ObjectNode shown = Json.object().put("username", user.name());
        put(shown, "uid", user.uid());
        if (!user.groups().isEmpty()) {
            ArrayNode groups = shown.putArray("groups");
            user.groups().forEach(groups::add);
        }
        if (!user.extra().isEmpty()) {
            ObjectNode extra = shown.putObject("extra");
            user.extra().forEach((key, values) -> values.forEach(extra.withArray(key)::add));
        }
        return shown;
    }
}
