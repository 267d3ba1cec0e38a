package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.selector.FieldSelector;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Which objects of a resource a list or watch is about. */
record Selection(String namespace, LabelSelector labels, FieldSelector fields) {
    static Selection of(ResourceRequest request) {
        FieldSelector fields = FieldSelector.parse(request.params().text("fieldSelector"));
        if (!request.name().isEmpty()) {
            FieldSelector.Term named = new FieldSelector.Term("metadata.name", request.name(), true);
            fields = new FieldSelector(java.util.List.of(named));
        }
        checkSupported(fields, request.type());
        return new Selection(
                request.namespace(), LabelSelector.parse(request.params().text("labelSelector")), fields);
    }

    private static void checkSupported(FieldSelector selector, ResourceType type) {
        Set<String> known = Registry.selectableFields(type);
        for (FieldSelector.Term term : selector.terms()) {
            String field = term.field();
            if (!field.equals("metadata.name") && !field.equals("metadata.namespace") && !known.contains(field)) {
                throw ApiException.badRequest("Unable to find \"" + type.groupVersion() + ", Resource=" + type.plural()
                        + "\" that match label selector \"\", field selector \"" + field + (term.equal() ? "=" : "!=")
                        + term.value() + "\": field label not supported: " + field);
            }
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
        if (!labels.isEverything() && !labels.matches(object.labels())) {
            return false;
        }
        return fields.isEverything() || fields.matches(fieldsOf(object));
    }

    private static Map<String, String> fieldsOf(CachedObject object) {
        Map<String, String> fields = new HashMap<>(object.fields());
        fields.put("metadata.name", object.name());
        fields.put("metadata.namespace", object.namespace());
        return fields;
    }
}
