package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cel.JsonValues;
import io.argosy.server.dynamic.Catalogue;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Scopes;
import io.argosy.server.dynamic.Subject;
import io.argosy.server.dynamic.Subject.Version;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds, among the policies in effect, those that a write is subject to. */
final class PolicyMatch {
    private static final String GROUP = "admissionregistration.k8s.io";

    private final Supplier<Registry> registry;
    private final Authorizer authorizer;
    private final Catalogue<Policy> policies = new Catalogue<>(Policy::read);
    private final Catalogue<Binding> bindings = new Catalogue<>(Binding::read);

    /** A policy as one binding puts it to a write, with one set of parameters, or none; or why that cannot be done. */
    record Case(Policy policy, Binding binding, Version version, JsonNode params, String error) {
        String id() {
            JsonNode metadata = params == null ? null : params.path("metadata");
            return policy.name() + "/" + binding.name()
                    + (metadata == null
                            ? ""
                            : "/" + metadata.path("namespace").asText("") + "/"
                                    + metadata.path("name").asText());
        }
    }

    PolicyMatch(Supplier<Registry> registry, Authorizer authorizer) {
        this.registry = registry;
        this.authorizer = authorizer;
    }

    void follow(String policyResource, String bindingResource) {
        policies.follow(registry.get().store(GROUP, policyResource));
        bindings.follow(registry.get().store(GROUP, bindingResource));
    }

    /** True where no policy can bear on anything: without a binding none is in effect. */
    boolean isEmpty() {
        return bindings.all().isEmpty() || policies.all().isEmpty();
    }

    Registry registry() {
        return registry.get();
    }

    List<Case> cases(Subject subject) {
        List<Case> cases = new ArrayList<>();
        for (Policy policy : policies.all()) {
            List<Binding> of = bindings.all().stream()
                    .filter(binding -> binding.policy().equals(policy.name()))
                    .toList();
            if (of.isEmpty()) {
                continue;
            }
            Optional<ResourceType> matched = policy.criteria().match(subject, this::namespace);
            if (matched.isPresent()) {
                for (Binding binding : of) {
                    if (binding.narrowing().narrows(subject, this::namespace)) {
                        add(cases, policy, binding, subject, matched.get());
                    }
                }
            }
        }
        return cases;
    }

    private void add(List<Case> cases, Policy policy, Binding binding, Subject subject, ResourceType type) {
        try {
            Version version = subject.in(type);
            for (JsonNode params : Params.find(policy, binding, subject.namespace(), registry.get())) {
                cases.add(new Case(policy, binding, version, params, ""));
            }
        } catch (Params.UnsettledException unsettled) {
            cases.add(new Case(policy, binding, null, null, unsettled.getMessage()));
        }
    }

    private CachedObject namespace(String name) {
        return registry.get().store("", "namespaces").find("", name);
    }

    /** What the expressions of a policy see. */
    Map<String, Object> values(Case one, Subject subject) {
        Map<String, Object> values =
                Scopes.values(subject, subject.in(one.version().type()), authorizer);
        String place = subject.review().type().namespaced() ? subject.namespace() : "";
        values.put("namespaceObject", JsonValues.of(Params.namespace(registry.get(), place)));
        if (one.policy().paramKind().isObject()) {
            values.put("params", JsonValues.of(one.params()));
        }
        return values;
    }

    /** Whether the conditions of the policy hold. */
    static Conditions.Outcome conditions(Case one, Map<String, Object> values) {
        return one.policy().conditions().isEmpty()
                ? new Conditions.Outcome(true, "")
                : one.policy().conditions().test(values);
    }
}
