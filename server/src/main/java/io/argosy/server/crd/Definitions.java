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
import io.argosy.server.crd.Conditions.Condition;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.Registry.CustomResource;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import io.argosy.server.webhook.WebhookClient;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** The definitions, by uid, whose objects are watched until the last is gone. */
    private final Set<String> emptied = new HashSet<>();

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

    /** Serves what is defined already, before the registry loads its objects: one reading of the store for all. */
    public void restore(Store store) {
        for (Entry entry : store.list(PLACE, ListOptions.ALL).entries()) {
            Definition definition = Definition.read(entry.value());
            known.put(definition.name(), definition);
            take(definition);
            if (definition.is("Established") && definition.is("NamesAccepted") && !definition.isBeingDeleted()) {
                settledBefore.put(definition.name(), entry.modRevision());
            }
        }
        publish();
    }

    /** Follows the definitions from here on. */
    public void follow() {
        definitions().cache().follow(change -> enqueue(change.current().name()));
        worker = Thread.ofVirtual().name("custom-resource-definitions").start(this::run);
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
        } catch (ApiException refused) {
            if (refused.is(Reason.NotFound) || refused.is(Reason.Conflict)) {
                return; // it has changed or gone since, and its change is in the queue
            }
            LOG.warn("The definition {} could not be settled: {}", name, refused.getMessage());
        } catch (RuntimeException broken) {
            LOG.error("The definition {} could not be settled", name, broken);
        }
    }

    private void forget(String name) {
        Definition gone = known.remove(name);
        if (served.remove(name) != null) {
            publish();
        }
        if (gone != null) {
            emptied.remove(gone.uid());
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
        registry.serve(served.values().stream().map(Served::resource).toList());
    }

    /** Deletes the objects of the resource; when the last is gone, the definition may go. */
    private void terminate(Definition definition) {
        if (!definition.hasFinalizer(DefinitionStrategy.CLEANUP)) {
            return;
        }
        Served resource = served.get(definition.name());
        ResourceStore objects = resource == null
                ? null
                : registry.store(resource.resource().stored()).orElse(null);
        Condition outcome = new Condition("Terminating", "False", "NeverEstablished", "resource was never established");
        if (objects != null) {
            if (emptied.add(definition.uid())) {
                objects.cache().follow(change -> enqueue(definition.name()));
                say(
                        definition,
                        new Condition(
                                "Terminating",
                                "True",
                                "InstanceDeletionInProgress",
                                "CustomResource deletion is in progress"));
            }
            for (CachedObject object : objects.snapshot("").objects()) {
                delete(objects, object);
            }
            if (!objects.snapshot("").objects().isEmpty()) {
                return; // they have finalizers; the last one to go brings us back here
            }
            outcome = new Condition("Terminating", "False", "InstanceDeletionCompleted", "removed all instances");
        }
        say(definition, outcome);
        write(definition.name(), "", current -> {
            Metadata metadata = Metadata.of(current);
            List<String> finalizers = metadata.finalizers();
            finalizers.remove(DefinitionStrategy.CLEANUP);
            metadata.setFinalizers(finalizers);
        });
    }

    private void delete(ResourceStore objects, CachedObject object) {
        if (Json.decodeObject(object.json()).path("metadata").hasNonNull("deletionTimestamp")) {
            return;
        }
        try {
            objects.delete(object.namespace(), object.name(), DeleteOptions.DEFAULT, options);
        } catch (ApiException gone) {
            if (!gone.is(Reason.NotFound)) {
                throw gone;
            }
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
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
