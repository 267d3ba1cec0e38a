package io.argosy.server.rules;

import io.argosy.api.names.Names;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.List;

/** Roles, and to whom they are given. */
public final class AccessRules {
    private static final String GROUP = "rbac.authorization.k8s.io";

    private AccessRules() {}

    public static void role(Spot role) {
        role.each("rules").forEach(rule -> rule(rule, true));
    }

    public static void clusterRole(Spot role) {
        role.each("rules").forEach(rule -> rule(rule, false));
        Spot aggregation = role.at("aggregationRule");
        if (aggregation.isGiven()) {
            Spot selectors = aggregation.at("clusterRoleSelectors");
            if (selectors.each().isEmpty()) {
                selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
            }
            selectors.each().forEach(Selectors::check);
        }
    }

    private static void rule(Spot rule, boolean namespaced) {
        if (rule.each("verbs").isEmpty()) {
            rule.at("verbs").required("verbs must contain at least one value");
        }
        Spot urls = rule.at("nonResourceURLs");
        if (urls.each().isEmpty()) {
            if (rule.each("apiGroups").isEmpty()) {
                rule.at("apiGroups").required("resource rules must supply at least one api group");
            }
            if (rule.each("resources").isEmpty()) {
                rule.at("resources").required("resource rules must supply at least one resource");
            }
            return;
        }
        if (namespaced) {
            urls.invalid("namespaced rules cannot apply to non-resource URLs");
        }
        if (List.of("apiGroups", "resources", "resourceNames").stream()
                .anyMatch(field -> !rule.each(field).isEmpty())) {
            urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
        }
    }

    public static void roleBinding(Spot binding) {
        binding(binding, List.of("Role", "ClusterRole"), true);
    }

    public static void clusterRoleBinding(Spot binding) {
        binding(binding, List.of("ClusterRole"), false);
    }

    private static void binding(Spot binding, List<String> kinds, boolean namespaced) {
        Spot role = binding.at("roleRef");
        supported(role.at("apiGroup"), List.of(GROUP));
        supported(role.at("kind"), kinds);
        Spot name = role.at("name");
        if (name.needed()) {
            Names.pathSegmentError(name.text()).ifPresent(name::invalid);
        }
        binding.each("subjects").forEach(subject -> subject(subject, namespaced));
    }

    private static void subject(Spot subject, boolean namespaced) {
        subject.at("name").needed();
        switch (subject.text("kind")) {
            case "ServiceAccount" -> {
                if (!subject.text("name").isEmpty()) {
                    subject.at("name").subdomain();
                }
                supported(subject.at("apiGroup"), List.of(""));
                if (!namespaced) {
                    subject.at("namespace").needed();
                }
            }
            case "User", "Group" -> supported(subject.at("apiGroup"), List.of(GROUP));
            default -> supported(subject.at("kind"), List.of("ServiceAccount", "User", "Group"));
        }
    }

    /** Also where nothing is said. */
    private static void supported(Spot word, List<String> words) {
        if (!words.contains(word.text())) {
            word.errors().notSupported(word.path(), word.text(), words);
        }
    }
}
