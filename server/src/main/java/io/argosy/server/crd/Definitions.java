package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Conditions;
import io.argosy.server.registry.Conditions.Condition;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.Registry.CustomResource;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import io.argosy.server.webhook.WebhookClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the definitions of custom resources: settles their names, serves what they define, and clears up after them. One thread does all
 * of it, so that no two definitions get the same name.
 */
public final class Definitions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Definitions.class);
    private static final String GROUP = "apiextensions.k8s.io";
    private static final String RESOURCE = "customresourcedefinitions";
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final int MOST_DOUBLINGS = 10;
    private static final String PLACE = "/registry/" + GROUP + "/" + RESOURCE + "/";

    private final Registry registry;
    private final Clock clock;
    private final WebhookClient webhooks;
    private final WriteOptions options;
    private final LinkedBlockingQueue<String> changed = new LinkedBlockingQueue<>();
    private final Map<String, Served> served = new TreeMap<>();
    private final Map<String, Definition> known = new HashMap<>();

    /** The definitions that were settled when this server started, by name, with the revision they had: nothing need be done for them. */
    private final Map<String, Long> settledBefore = new HashMap<>();

    /** Of the definitions that go, by uid: their objects are watched until the last is gone. */
    private final Map<String, Cleanup> cleanups = new HashMap<>();

    /** Of the definitions that could not be settled: how often in a row, and when they are tried again. */
    private final Map<String, Integer> failures = new HashMap<>();

    private final Map<String, Clock.Timer> retries = new HashMap<>();

    private Thread worker;

    /** A resource, and what it was made from. */
    private record Served(String fingerprint, CustomResource resource) {}

    public Definitions(Registry registry, Clock clock, WebhookClient webhooks) {
        this.registry = registry;
        this.clock = clock;
        this.webhooks = webhooks;
        this.options = new WriteOptions(
                new User("system:apiserver", List.of(User.MASTERS)),
                false,
                warning -> {},
                new WriteOptions.Writer("kube-apiserver", GROUP + "/v1", false, false));
    }

    /** Has what is defined already served when first somebody asks for it. */
    public void expect() {
        registry.expect(this::restored);
    }

    /** Called once, before the worker does anything; a definition that cannot be read is not served, and the others are. */
    private List<CustomResource> restored() {
        for (CachedObject stored : definitions().snapshot("").objects()) {
            try {
                Definition definition = Definition.read(stored.json());
                known.put(definition.name(), definition);
                take(definition);
                if (definition.is("Established") && definition.is("NamesAccepted") && !definition.isBeingDeleted()) {
                    settledBefore.put(definition.name(), stored.revision());
                }
            } catch (RuntimeException broken) {
                LOG.error("What the definition {} defines cannot be served", stored.name(), broken);
            }
        }
        return resources();
    }

    /** Follows the definitions from here on. */
    public void follow() {
        definitions().cache().follow(change -> enqueue(change.current().name()));
        clock.hold();
        worker = Thread.ofVirtual().name("custom-resource-definitions").start(() -> {
            try {
                registry.types(); // what was settled before is known from here on
            } finally {
                clock.release();
            }
            run();
        });
    }

    private ResourceStore definitions() {
        return registry.store(GROUP, RESOURCE);
    }

    /** Time does not go on while a definition waits to be settled. */
    private void enqueue(String name) {
        clock.hold();
        changed.add(name);
    }

    private void run() {
        try {
            while (true) {
                List<String> names = new ArrayList<>();
                names.add(changed.take());
                changed.drainTo(names);
                try {
                    new LinkedHashSet<>(names).forEach(this::settle);
                } finally {
                    names.forEach(name -> clock.release());
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void settle(String name) {
        try {
            settleNow(name);
            failures.remove(name);
            cancel(retries.remove(name));
        } catch (ApiException refused) {
            if (!refused.is(Reason.NotFound) && !refused.is(Reason.Conflict)) { // else its change is in the queue
                LOG.warn("The definition {} could not be settled: {}", name, refused.getMessage());
                retry(name);
            }
        } catch (RuntimeException broken) {
            LOG.error("The definition {} could not be settled", name, broken);
            retry(name);
        }
    }

    /** Whoever stands in the way may be gone later; each time we wait longer. */
    private void retry(String name) {
        int before = failures.merge(name, 1, Integer::sum) - 1;
        Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS));
        cancel(retries.put(name, clock.schedule(delay, () -> enqueue(name))));
    }

    private static void cancel(Clock.Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void settleNow(String name) {
        CachedObject stored = definitions().find("", name);
        if (stored == null) {
            forget(name);
            return;
        }
        Long before = settledBefore.remove(name);
        if (before != null && before == stored.revision()) {
            return;
        }
        Definition definition = Definition.read(stored.json());
        known.put(name, definition);
        if (definition.isBeingDeleted()) {
            serve(definition);
            terminate(definition);
        } else {
            establish(definition);
        }
    }

    private void forget(String name) {
        Definition gone = known.remove(name);
        if (served.remove(name) != null) {
            publish();
        }
        if (gone != null) {
            cleanups.remove(gone.uid());
            reconsider(gone);
        }
    }

    /** Names may have become free: those who wanted them get another chance. */
    private void reconsider(Definition by) {
        for (Definition other : known.values()) {
            if (other.group().equals(by.group()) && !other.name().equals(by.name()) && !other.is("NamesAccepted")) {
                enqueue(other.name());
            }
        }
    }

    private void establish(Definition definition) {
        List<Definition> others = new ArrayList<>();
        for (Definition other : known.values()) {
            if (other.group().equals(definition.group()) && !other.name().equals(definition.name())) {
                others.add(other);
            }
        }
        NameClaims.Decision decision = new NameClaims(others).decide(definition);
        ObjectNode status = definition.status() instanceof ObjectNode found ? found.deepCopy() : Json.object();
        status.set("acceptedNames", decision.accepted());
        Conditions.set(status, decision.namesAccepted(), clock);
        Conditions.set(status, decision.established(), clock);
        oldForms(definition, status);
        Definition settled = definition.with(status);
        known.put(definition.name(), settled);
        serve(settled); // before the status says so: who reads that the resource is there finds it there
        if (!status.equals(definition.status())) {
            write(definition.name(), "status", current -> {
                if (Metadata.of(current).uid().equals(definition.uid())) {
                    JsonNode storedVersions = current.path("status").path("storedVersions");
                    status.set("storedVersions", storedVersions);
                    current.set("status", status);
                }
            });
            reconsider(settled);
        }
    }

    /** What is said of definitions that are not as they should be today. */
    private void oldForms(Definition definition, ObjectNode status) {
        if (DefinitionForm.isProtected(definition.group())) {
            String approval = definition
                    .whole()
                    .path("metadata")
                    .path("annotations")
                    .path(DefinitionForm.APPROVAL)
                    .asText("");
            boolean approved = DefinitionForm.isApproval(approval);
            String reason = approval.isEmpty()
                    ? "MissingAnnotation"
                    : !approved
                            ? "InvalidAnnotation"
                            : approval.startsWith("unapproved") ? "UnapprovedAnnotation" : "ApprovedAnnotation";
            boolean conforms = approved && !approval.startsWith("unapproved");
            Conditions.set(
                    status,
                    new Condition(
                            "KubernetesAPIApprovalPolicyConformant",
                            conforms ? "True" : "False",
                            reason,
                            DefinitionForm.reason(approval)),
                    clock);
        }
        if (definition.spec().path("preserveUnknownFields").asBoolean()) {
            Conditions.set(
                    status, new Condition("NonStructuralSchema", "True", "Violations", violations(definition)), clock);
        } else {
            Conditions.remove(status, "NonStructuralSchema");
        }
    }

    private static String violations(Definition definition) {
        FieldErrors errors = new FieldErrors();
        errors.invalid("spec.preserveUnknownFields", true, "must be false");
        JsonNode versions = definition.whole().path("spec").path("versions");
        for (int i = 0; i < versions.size(); i++) {
            JsonNode schema = Definition.schemaOf(versions.get(i));
            if (schema.isObject()) {
                new StructuralCheck(errors).check(schema, "spec.versions[" + i + "].schema.openAPIV3Schema");
            }
        }
        List<String> lines = new ArrayList<>();
        for (Cause cause : errors.causes()) {
            lines.add(cause.field() + ": " + cause.message());
        }
        return lines.size() == 1 ? lines.getFirst() : "[" + String.join(", ", lines) + "]";
    }

    private void serve(Definition definition) {
        if (take(definition)) {
            publish();
        }
    }

    /** Takes note of what the definition defines; true if that is other than it was. What is built in stays, and is none of the definition's. */
    private boolean take(Definition definition) {
        boolean isServed = definition.is("Established")
                && !definition.status().path("acceptedNames").isEmpty();
        if (!isServed || registry.isBuiltIn(definition.groupResource())) {
            return served.remove(definition.name()) != null;
        }
        String fingerprint = definition.fingerprint();
        Served before = served.get(definition.name());
        if (before != null && before.fingerprint().equals(fingerprint)) {
            return false;
        }
        served.put(definition.name(), new Served(fingerprint, definition.resource(webhooks)));
        return true;
    }

    private void publish() {
        registry.serve(resources());
    }

    private List<CustomResource> resources() {
        return served.values().stream().map(Served::resource).toList();
    }

    /** Deletes the objects of the resource; when the last is gone, the definition may go. */
    private void terminate(Definition definition) {
        if (!definition.hasFinalizer(DefinitionStrategy.CLEANUP)) {
            return;
        }
        Condition outcome = outcome(definition);
        if (outcome == null) {
            return; // the last object to go brings us back here
        }
        say(definition, outcome);
        write(definition.name(), "", current -> {
            Metadata metadata = Metadata.of(current);
            List<String> finalizers = metadata.finalizers();
            finalizers.remove(DefinitionStrategy.CLEANUP);
            metadata.setFinalizers(finalizers);
        });
    }

    /** Null while there are objects. */
    private Condition outcome(Definition definition) {
        if (registry.isBuiltIn(definition.groupResource())) {
            return terminating(
                    "False", "OverlappingBuiltInResource", "instances overlap with built-in resources in storage");
        }
        Served resource = served.get(definition.name());
        ResourceStore objects = resource == null
                ? null
                : registry.store(resource.resource().stored()).orElse(null);
        if (objects == null) {
            return terminating("False", "NeverEstablished", "resource was never established");
        }
        Cleanup cleanup = cleanups.get(definition.uid());
        if (cleanup == null) {
            say(
                    definition,
                    terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"));
            objects.cache().follow(change -> enqueue(definition.name()));
        }
        if (cleanup == null || cleanup.hasMissedSome()) {
            cleanups.put(definition.uid(), clear(definition, objects));
            return null;
        }
        return objects.snapshot("").objects().isEmpty()
                ? terminating("False", "InstanceDeletionCompleted", "removed all instances")
                : null;
    }

    private Cleanup clear(Definition definition, ResourceStore objects) {
        Cleanup cleanup = new Cleanup(
                objects,
                options,
                clock,
                error -> {
                    LOG.warn("Objects of {} could not be deleted: {}", definition.name(), error);
                    sayIfPossible(
                            definition,
                            terminating("True", "InstanceDeletionFailed", "could not issue all deletes: " + error));
                },
                () -> enqueue(definition.name()));
        cleanup.start();
        return cleanup;
    }

    private static Condition terminating(String status, String reason, String message) {
        return new Condition("Terminating", status, reason, message);
    }

    private void sayIfPossible(Definition definition, Condition condition) {
        try {
            say(definition, condition);
        } catch (RuntimeException refused) {
            LOG.warn("{} could not be said of {}: {}", condition.reason(), definition.name(), refused.getMessage());
        }
    }

    private void say(Definition definition, Condition condition) {
        write(definition.name(), "status", current -> {
            if (current.get("status") instanceof ObjectNode status) {
                Conditions.set(status, condition, clock);
            }
        });
    }

    private void write(String name, String subresource, Consumer<ObjectNode> change) {
        definitions()
                .update(
                        "",
                        name,
                        subresource,
                        current -> {
                            change.accept(current);
                            return current;
                        },
                        options);
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.interrupt();
            try {
                worker.join();
                retries.values().forEach(Clock.Timer::cancel);
                for (Cleanup cleanup : cleanups.values()) {
                    cleanup.stop();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
