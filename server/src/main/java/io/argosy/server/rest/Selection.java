package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.selector.FieldSelector;
import io.argosy.api.selector.FieldSelector.Term;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which objects of a resource a list or watch is about.
 *
 * @param uninitialized whether those are meant too that initializers still have to see
 * @param versioned what the fields are in another version than the stored one, if that is asked for
 */
record Selection(
        String namespace,
        LabelSelector labels,
        FieldSelector fields,
        boolean uninitialized,
        Optional<VersionedFields> versioned) {
    /** What fields that nobody set count as, where that is not the empty string. */
    private static final Map<String, String> UNSET = Map.of(
            "spec.hostNetwork", "false",
            "spec.unschedulable", "false",
            "status.replicas", "0",
            "status.succeeded", "0");

    /** What events.k8s.io calls the fields of an event. */
    private static final Map<String, String> EVENT_FIELDS = Map.of("reportingController", "reportingComponent");

    static Selection of(ResourceRequest request) {
        List<Term> terms = new ArrayList<>();
        for (Term term :
                FieldSelector.parse(request.params().text("fieldSelector")).terms()) {
            terms.add(new Term(field(term, request.type()), term.value(), term.equal()));
        }
        if (!request.name().isEmpty()) {
            terms.add(new Term("metadata.name", request.name(), true));
        }
        LabelSelector labels = LabelSelector.parse(request.params().text("labelSelector"));
        boolean uninitialized =
                Initialization.isIncluded(request) || request.verb().equals("deletecollection");
        boolean converted = request.type().isCustom()
                && !Reads.isKeptSo(request.type())
                && terms.stream().anyMatch(term -> !term.field().startsWith("metadata."));
        return new Selection(
                request.namespace(),
                labels,
                new FieldSelector(List.copyOf(terms)),
                uninitialized,
                converted ? Optional.of(new VersionedFields(request.type())) : Optional.empty());
    }

    /** Looks at many objects at once, where each would be work. */
    void prepare(List<CachedObject> objects) {
        versioned.ifPresent(known -> known.prepare(objects));
    }

    /** The path of the stored field that a term is about. */
    private static String field(Term term, ResourceType type) {
        String field = term.field();
        if (type.group().equals("events.k8s.io")) {
            field = field.startsWith("regarding.")
                    ? "involvedObject." + field.substring("regarding.".length())
                    : EVENT_FIELDS.getOrDefault(field, field);
        }
        Set<String> known = Registry.selectableFields(type);
        if (!field.equals("metadata.name") && !field.equals("metadata.namespace") && !known.contains(field)) {
            throw unknown(term.field(), type, known);
        }
        return Registry.fieldPath(field);
    }

    /** Clients add of what and where, so that it is not said here. */
    private static ApiException unknown(String field, ResourceType type, Set<String> known) {
        boolean plain = known.isEmpty() && !type.isCustom();
        return ApiException.badRequest(
                plain
                        ? "\"" + field
                                + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                        : "field label not supported: " + field);
    }

    boolean isEverything() {
        return namespace.isEmpty() && labels.isEverything() && fields.isEverything();
    }

    boolean matches(CachedObject object) {
        if (!namespace.isEmpty() && !namespace.equals(object.namespace())) {
            return false;
        }
        return matchesContent(object);
    }

    /** The same, for objects already known to be in the namespace. */
    boolean matchesContent(CachedObject object) {
        if (!uninitialized && object.isUninitialized()) {
            return false;
        }
        if (!labels.isEverything() && !labels.matches(object.labels())) {
            return false;
        }
        return fields.isEverything() || fields.matches(fieldsOf(object));
    }

    private Map<String, String> fieldsOf(CachedObject object) {
        Map<String, String> fields = new HashMap<>(UNSET);
        fields.putAll(versioned.map(known -> known.of(object)).orElseGet(object::fields));
        if (fields.getOrDefault("source.component", "").isEmpty() && fields.containsKey("reportingComponent")) {
            fields.put("source.component", fields.get("reportingComponent")); // an event that names no other source
        }
        fields.put("metadata.name", object.name());
        fields.put("metadata.namespace", object.namespace());
        return fields;
    }
}
