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

    static Selection of(ResourceRequest request) {
        List<Term> terms = new ArrayList<>();
        for (Term term :
                FieldSelector.parse(request.params().text("fieldSelector")).terms()) {
            terms.add(new Term(field(term, request.type()), term.value(), term.equal()));
        }
        if (!request.name().isEmpty()) {
            checkName(terms, request.name());
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
        return Registry.selectedField(type, term.field())
                .orElseThrow(() -> ApiException.badRequest(Registry.unknownField(type, term.field())));
    }

    /** Who watches one object by its path cannot mean another. */
    private static void checkName(List<Term> terms, String name) {
        boolean same = terms.stream()
                .anyMatch(term -> term.equal()
                        && term.field().equals("metadata.name")
                        && term.value().equals(name));
        if (!terms.isEmpty() && !same) {
            throw ApiException.badRequest("fieldSelector metadata.name doesn't match requested name");
        }
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
