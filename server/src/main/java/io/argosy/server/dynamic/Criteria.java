package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission.Operation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Which writes a webhook or a policy is about: by resource, operation, namespace and labels. Immutable. */
public final class Criteria {
    private static final GroupResource NAMESPACES = new GroupResource("", "namespaces");

    private final List<Rule> rules;
    private final List<Rule> excluded;
    private final LabelSelector namespaces;
    private final LabelSelector objects;
    private final boolean equivalent;

    private Criteria(JsonNode rules, JsonNode excluded, JsonNode selectors) {
        this.rules = Rule.all(rules);
        this.excluded = Rule.all(excluded);
        this.namespaces = LabelSelector.of(selectors.path("namespaceSelector"));
        this.objects = LabelSelector.of(selectors.path("objectSelector"));
        this.equivalent = !selectors.path("matchPolicy").asText().equals("Exact");
    }

    public static Criteria ofWebhook(JsonNode webhook) {
        return new Criteria(webhook.path("rules"), webhook.path("none"), webhook);
    }

    /** Of a policy or its binding. */
    public static Criteria of(JsonNode matchResources) {
        return new Criteria(
                matchResources.path("resourceRules"), matchResources.path("excludeResourceRules"), matchResources);
    }

    /**
     * The version in which the write is of concern; empty if it is of none.
     *
     * @param lookup finds a namespace
     */
    public Optional<ResourceType> match(Subject subject, Function<String, CachedObject> lookup) {
        if (!objects.isEverything() && !selectsObject(subject)) {
            return Optional.empty();
        }
        if (find(excluded, subject).isPresent()) {
            return Optional.empty();
        }
        Optional<ResourceType> found = find(rules, subject);
        return found.isPresent() && selectsNamespace(subject, lookup) ? found : Optional.empty();
    }

    /** The same where a binding narrows what its policy is about: no rules are all rules. */
    public boolean narrows(Subject subject, Function<String, CachedObject> lookup) {
        if (!objects.isEverything() && !selectsObject(subject)) {
            return false;
        }
        return find(excluded, subject).isEmpty()
                && (rules.isEmpty() || find(rules, subject).isPresent())
                && selectsNamespace(subject, lookup);
    }

    private Optional<ResourceType> find(List<Rule> among, Subject subject) {
        if (matches(among, subject, subject.used())) {
            return Optional.of(subject.used());
        }
        if (!equivalent) {
            return Optional.empty();
        }
        for (Rule rule : among) {
            for (ResourceType type : subject.equivalents()) {
                if (matches(List.of(rule), subject, type)) {
                    return Optional.of(type);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean matches(List<Rule> rules, Subject subject, ResourceType type) {
        for (Rule rule : rules) {
            if (rule.matches(
                    subject.operation(),
                    type,
                    subject.review().subresource(),
                    subject.review().name())) {
                return true;
            }
        }
        return false;
    }

    private boolean selectsObject(Subject subject) {
        return selectsObject(subject.review().object())
                || selectsObject(subject.review().before());
    }

    private boolean selectsObject(ObjectNode object) {
        return object != null && object.path("metadata").isObject() && objects.matches(Subject.labels(object));
    }

    /** What is in no namespace is exempt by none; a namespace is looked at itself. */
    private boolean selectsNamespace(Subject subject, Function<String, CachedObject> lookup) {
        if (namespaces.isEverything()) {
            return true;
        }
        if (subject.isNamespace()
                && subject.review().subresource().isEmpty()
                && subject.review().operation() != Operation.DELETE) {
            return namespaces.matches(Subject.labels(subject.review().object()));
        }
        if (subject.namespace().isEmpty()) {
            return true;
        }
        return namespaces.matches(labels(subject.namespace(), lookup));
    }

    private static Map<String, String> labels(String namespace, Function<String, CachedObject> lookup) {
        CachedObject found = lookup.apply(namespace);
        if (found == null) {
            throw ApiException.notFound(NAMESPACES, namespace);
        }
        return found.labels();
    }
}
