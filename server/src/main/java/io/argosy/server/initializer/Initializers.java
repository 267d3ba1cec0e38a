package io.argosy.server.initializer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.dynamic.Catalogue;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Initializers, as they were until Kubernetes 1.13: controllers that see a new object before anybody else does. Each waits until it is the
 * first of {@code metadata.initializers.pending}, does its work on the object and takes itself off the list; when the list is empty, the object
 * is there for everybody.
 */
public final class Initializers implements Admission {
    private static final String GROUP = "admissionregistration.k8s.io";
    private static final String PENDING = "pending";

    private final Supplier<Registry> registry;
    private final Authorizer authorizer;
    private final Catalogue<Initializer> configured = new Catalogue<>(Initializers::read);

    /** One of a configuration. */
    private record Initializer(String name, List<JsonNode> rules) {}

    public Initializers(Supplier<Registry> registry, Authorizer authorizer) {
        this.registry = registry;
        this.authorizer = authorizer;
    }

    public void follow() {
        configured.follow(registry.get().store(GROUP, "initializerconfigurations"));
    }

    private static List<Initializer> read(CachedObject configuration) {
        List<Initializer> all = new ArrayList<>();
        for (JsonNode one : Json.decodeObject(configuration.json()).path("initializers")) {
            List<JsonNode> rules = new ArrayList<>();
            one.path("rules").forEach(rules::add);
            all.add(new Initializer(one.path("name").asText(), rules));
        }
        return all;
    }

    @Override
    public void mutate(Review review) {
        if (!review.isWhole() || review.object() == null || review.passage().isSecond()) {
            return;
        }
        if (review.operation() == Operation.CREATE && review.subresource().isEmpty()) {
            begin(review);
        }
        finish(review.object());
    }

    private void begin(Review review) {
        ObjectNode metadata = Metadata.of(review.object()).node();
        if (metadata.path("initializers").isObject()) {
            mustInitialize(review, "create with initializers denied");
            return;
        }
        if (configured.all().isEmpty() || review.type().group().equals(GROUP)) {
            return;
        }
        List<String> names = new ArrayList<>();
        for (Initializer one : configured.all()) {
            if (!names.contains(one.name()) && matches(one, review.type())) {
                names.add(one.name());
            }
        }
        if (!names.isEmpty()) {
            ArrayNode pending = metadata.putObject("initializers").putArray(PENDING);
            names.forEach(name -> pending.addObject().put("name", name));
        }
    }

    /** Whether the rules name the resource in any version in which it is served: what is stored does not tell which was used. */
    private boolean matches(Initializer initializer, ResourceType stored) {
        for (ResourceType type : registry.get().types().all()) {
            if (type.storageResource().equals(stored.storageResource())) {
                for (JsonNode rule : initializer.rules()) {
                    if (has(rule.path("apiGroups"), type.group())
                            && has(rule.path("apiVersions"), type.version())
                            && has(rule.path("resources"), type.plural())) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean has(JsonNode values, String wanted) {
        for (JsonNode value : values) {
            if (value.asText().equals("*") || value.asText().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /** When nobody is left and nobody refused, the object is whole. */
    private static void finish(ObjectNode object) {
        ObjectNode metadata = Metadata.of(object).node();
        JsonNode initializers = metadata.get("initializers");
        if (initializers != null && initializers.path(PENDING).isEmpty() && !initializers.hasNonNull("result")) {
            metadata.remove("initializers");
        }
    }

    @Override
    public void validate(Review review) {
        if (review.operation() != Operation.UPDATE || !review.isWhole() || review.before() == null) {
            return;
        }
        JsonNode before = Metadata.of(review.before()).node().path("initializers");
        JsonNode after = Metadata.of(review.object()).node().path("initializers");
        if (before.isObject()) {
            mustInitialize(review, "update to uninitialized resource denied");
        }
        FieldErrors errors = new FieldErrors();
        if (!before.isObject() && after.isObject()) {
            errors.invalid("metadata.initializers", after, "field is immutable once initialization has completed");
        } else if (!isShortened(before.path(PENDING), after.path(PENDING))) {
            errors.invalid(
                    "metadata.initializers.pending",
                    after.path(PENDING),
                    "initializers may only be taken off the list, the first of them first");
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(review.type().group(), review.type().kind(), review.name(), errors.causes());
        }
    }

    /** Whether what is left is the end of what was. */
    private static boolean isShortened(JsonNode before, JsonNode after) {
        int gone = before.size() - after.size();
        if (gone < 0) {
            return false;
        }
        for (int i = 0; i < after.size(); i++) {
            if (!before.get(gone + i).path("name").equals(after.get(i).path("name"))) {
                return false;
            }
        }
        return true;
    }

    private void mustInitialize(Review review, String refusal) {
        ResourceType type = review.type();
        boolean may = authorizer.allows(new Action(
                review.options().user(),
                "initialize",
                type.group(),
                type.version(),
                type.plural(),
                "",
                review.namespace(),
                review.name(),
                ""));
        if (!may) {
            throw ApiException.forbidden(type.groupResource(), review.name(), refusal);
        }
    }
}
