package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.flow.BootstrapFlows;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.rest.LocalApi;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the objects of priority and fairness in order: the built-in ones are stored and, where nobody asked otherwise, stay what they should
 * be; every schema says whether its level exists. It looks when one of them changes, and at nothing otherwise.
 */
public final class FlowUpkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlowUpkeep.class);
    private static final GroupVersion VERSION = new GroupVersion(FlowControl.GROUP, "v1");

    /** A built-in object that somebody changed or deleted is put right this much later. */
    private static final Duration REPAIR_AFTER = Duration.ofMinutes(1);

    private final Registry registry;
    private final LocalApi api;
    private final Clock clock;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean repairing = new AtomicBoolean();
    private volatile Clock.Timer repair;
    private volatile boolean closed;

    public FlowUpkeep(Registry registry, LocalApi api, Clock clock) {
        this.registry = registry;
        this.api = api;
        this.clock = clock;
    }

    /** Stores what is missing, on the calling thread, and looks after everything from then on. */
    public void start() {
        storeBuiltIn();
        registry.store(FlowControl.GROUP, FlowControl.SCHEMAS).cache().follow(change -> changed());
        registry.store(FlowControl.GROUP, FlowControl.LEVELS).cache().follow(change -> changed());
    }

    private void changed() {
        if (!closed && looking.compareAndSet(false, true)) {
            clock.hold();
            Thread.ofVirtual().name("flow schemas").start(() -> {
                try {
                    looking.set(false);
                    look();
                } finally {
                    clock.release();
                }
            });
        }
    }

    private void look() {
        describe();
        if (needsRepair() && repairing.compareAndSet(false, true)) {
            repair = clock.schedule(
                    REPAIR_AFTER, () -> Thread.ofVirtual().name("flow schemas").start(this::repair));
        }
    }

    private void repair() {
        repairing.set(false);
        if (!closed) {
            storeBuiltIn();
        }
    }

    private boolean needsRepair() {
        return BootstrapFlows.levels().stream().anyMatch(level -> isWrong(FlowControl.LEVELS, level))
                || BootstrapFlows.schemas().stream().anyMatch(schema -> isWrong(FlowControl.SCHEMAS, schema));
    }

    private boolean isWrong(String resource, ObjectNode expected) {
        CachedObject found = find(resource, expected);
        return found == null || corrected(Json.decodeObject(found.json()), expected) != null;
    }

    private void storeBuiltIn() {
        BootstrapFlows.levels().forEach(level -> store(FlowControl.LEVELS, level));
        BootstrapFlows.schemas().forEach(schema -> store(FlowControl.SCHEMAS, schema));
    }

    private void store(String resource, ObjectNode expected) {
        String name = expected.at("/metadata/name").asText();
        try {
            CachedObject found = find(resource, expected);
            if (found == null) {
                send("create", resource, "", "", "application/json", expected);
                return;
            }
            ObjectNode corrected = corrected(Json.decodeObject(found.json()), expected);
            if (corrected != null) {
                send("update", resource, name, "", "application/json", corrected);
            }
        } catch (ApiException refusal) {
            if (!closed && !refusal.is(Reason.AlreadyExists) && !refusal.is(Reason.Conflict)) {
                LOG.warn("{} {} was not brought up to date", resource, name, refusal);
            }
        }
    }

    private CachedObject find(String resource, ObjectNode expected) {
        return registry.store(FlowControl.GROUP, resource)
                .find("", expected.at("/metadata/name").asText());
    }

    /** The object as it should be stored; null if it is good as it is, or people want it to be left alone. */
    static ObjectNode corrected(ObjectNode stored, ObjectNode expected) {
        String name = expected.at("/metadata/name").asText();
        boolean adjustable = expected.at("/spec/type").asText().equals("Exempt");
        boolean mandatory = BootstrapFlows.isMandatory(name) && !adjustable;
        JsonNode asked = stored.at("/metadata/annotations").path(BootstrapFlows.AUTOUPDATE);
        boolean ours = mandatory
                || asked.asText("").equals("true")
                || (asked.isMissingNode() && stored.at("/metadata/generation").asLong() <= 1);
        if (!ours
                || (stored.path("spec").equals(expected.path("spec"))
                        && asked.asText("").equals("true"))) {
            return null;
        }
        ObjectNode corrected = stored.deepCopy();
        corrected.set("spec", expected.path("spec").deepCopy());
        corrected.withObject("/metadata/annotations").put(BootstrapFlows.AUTOUPDATE, "true");
        return corrected;
    }

    /** Says of every schema whether it points to a level that exists. */
    private void describe() {
        for (CachedObject object : registry.store(FlowControl.GROUP, FlowControl.SCHEMAS)
                .snapshot("")
                .objects()) {
            ObjectNode schema = Json.decodeObject(object.json());
            String level = schema.at("/spec/priorityLevelConfiguration/name").asText();
            boolean dangling =
                    registry.store(FlowControl.GROUP, FlowControl.LEVELS).find("", level) == null;
            String words = "This FlowSchema references the PriorityLevelConfiguration object named \"" + level + "\" "
                    + (dangling ? "but there is no such object" : "and it exists");
            JsonNode condition = dangling(schema);
            if (!condition.path("message").asText().equals(words)) {
                describe(object.name(), dangling, words, condition);
            }
        }
    }

    private static JsonNode dangling(ObjectNode schema) {
        for (JsonNode condition : schema.at("/status/conditions")) {
            if (condition.path("type").asText().equals("Dangling")) {
                return condition;
            }
        }
        return Json.object();
    }

    private void describe(String name, boolean dangling, String words, JsonNode before) {
        String status = dangling ? "True" : "False";
        String since = before.path("status").asText().equals(status)
                ? before.path("lastTransitionTime").asText("")
                : Metadata.time(clock.now());
        ObjectNode patch = Json.object();
        patch.withArray("/status/conditions")
                .addObject()
                .put("type", "Dangling")
                .put("status", status)
                .put("lastTransitionTime", since)
                .put("reason", dangling ? "NotFound" : "Found")
                .put("message", words);
        try {
            send("patch", FlowControl.SCHEMAS, name, "status", "application/merge-patch+json", patch);
        } catch (ApiException refusal) {
            if (!closed && !refusal.is(Reason.NotFound)) {
                LOG.warn("the condition of flow schema {} was not written", name, refusal);
            }
        }
    }

    private void send(String verb, String resource, String name, String subresource, String type, ObjectNode body) {
        api.send(new LocalApi.Call(verb, VERSION, resource, "", name, subresource, Map.of(), type, Json.encode(body)));
    }

    @Override
    public void close() {
        closed = true;
        if (repair != null) {
            repair.cancel();
        }
    }
}
