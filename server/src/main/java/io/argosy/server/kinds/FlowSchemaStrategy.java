package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.flow.BootstrapFlows;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Locale;

/** FlowSchemas: which requests go to which priority level. Those that every cluster needs stay as they are. */
final class FlowSchemaStrategy implements Strategy {
    private static final int LAST = 10_000;
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch");

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode schema) {
        ObjectNode spec = child(schema, "spec");
        if (spec.path("matchingPrecedence").asInt() == 0) {
            spec.put("matchingPrecedence", 1000);
        }
    }

    @Override
    public void validate(ObjectNode schema, FieldErrors errors) {
        String name = schema.at("/metadata/name").asText();
        JsonNode spec = schema.path("spec");
        fixed(name, spec, BootstrapFlows.schemas(), errors);
        int precedence = spec.path("matchingPrecedence").asInt();
        if (precedence <= 0) {
            errors.invalid("spec.matchingPrecedence", precedence, "must be a positive value");
        }
        if (precedence > LAST) {
            errors.invalid("spec.matchingPrecedence", precedence, "must not be greater than " + LAST);
        }
        if (precedence == 1 && !name.equals("exempt")) {
            errors.invalid(
                    "spec.matchingPrecedence",
                    precedence,
                    "only the schema named 'exempt' may have matchingPrecedence 1");
        }
        if (spec.path("distinguisherMethod").isObject()) {
            String type = spec.at("/distinguisherMethod/type").asText();
            if (!List.of("ByNamespace", "ByUser").contains(type)) {
                errors.notSupported("spec.distinguisherMethod.type", type, List.of("ByNamespace", "ByUser"));
            }
        }
        String level = spec.at("/priorityLevelConfiguration/name").asText("");
        if (level.isEmpty()) {
            errors.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
        } else {
            Names.subdomainError(level)
                    .ifPresent(error -> errors.invalid("spec.priorityLevelConfiguration.name", level, error));
        }
        List<ObjectNode> rules = objects(spec, "rules");
        for (int i = 0; i < rules.size(); i++) {
            rule(rules.get(i), "spec.rules[" + i + "]", errors);
        }
    }

    /** What every cluster needs is not to be had otherwise. */
    static void fixed(String name, JsonNode spec, List<ObjectNode> builtIn, FieldErrors errors) {
        for (ObjectNode object : builtIn) {
            if (object.at("/metadata/name").asText().equals(name)
                    && BootstrapFlows.isMandatory(name)
                    && !object.path("spec").equals(spec)) {
                errors.invalid("spec", spec, "spec of '" + name + "' must equal the fixed value");
            }
        }
    }

    private static void rule(ObjectNode rule, String path, FieldErrors errors) {
        List<ObjectNode> subjects = objects(rule, "subjects");
        if (subjects.isEmpty()) {
            errors.required(path + ".subjects", "subjects must contain at least one value");
        }
        for (int i = 0; i < subjects.size(); i++) {
            subject(subjects.get(i), path + ".subjects[" + i + "]", errors);
        }
        List<ObjectNode> resources = objects(rule, "resourceRules");
        List<ObjectNode> paths = objects(rule, "nonResourceRules");
        if (resources.isEmpty() && paths.isEmpty()) {
            errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
        }
        for (int i = 0; i < resources.size(); i++) {
            resources(resources.get(i), path + ".resourceRules[" + i + "]", errors);
        }
        for (int i = 0; i < paths.size(); i++) {
            String at = path + ".nonResourceRules[" + i + "]";
            Spot asked = new Spot(paths.get(i), at, errors);
            verbs(asked.at("verbs"));
            String otherwise = "nonResourceURLs must contain at least one value";
            if (some(asked.at("nonResourceURLs"), otherwise, "non-resource URLs")) {
                asked.each("nonResourceURLs").forEach(FlowSchemaStrategy::path);
            }
        }
    }

    private static void subject(ObjectNode subject, String path, FieldErrors errors) {
        String kind = subject.path("kind").asText();
        if (!List.of("ServiceAccount", "User", "Group").contains(kind)) {
            errors.notSupported(path + ".kind", kind, List.of("Group", "ServiceAccount", "User"));
            return;
        }
        String field = kind.substring(0, 1).toLowerCase(Locale.ROOT) + kind.substring(1);
        for (String other : List.of("serviceAccount", "user", "group")) {
            if (!other.equals(field) && subject.hasNonNull(other)) {
                String its = other.substring(0, 1).toUpperCase(Locale.ROOT) + other.substring(1);
                errors.forbidden(path + "." + other, other + " is forbidden when subject kind is not '" + its + "'");
            }
        }
        ObjectNode named = existing(subject, field);
        if (named == null) {
            errors.required(path + "." + field, field + " is required when subject kind is '" + kind + "'");
            return;
        }
        Spot spot = new Spot(named, path + "." + field, errors);
        spot.at("name").needed();
        if (kind.equals("ServiceAccount")) {
            if (!spot.text("name").isEmpty() && !spot.text("name").equals("*")) {
                spot.at("name").subdomain();
            }
            if (spot.text("namespace").isEmpty()) {
                spot.at("namespace").required("must specify namespace for service account");
            } else {
                spot.at("namespace").label();
            }
        }
    }

    private static void resources(ObjectNode rule, String path, FieldErrors errors) {
        Spot asked = new Spot(rule, path, errors);
        verbs(asked.at("verbs"));
        some(asked.at("apiGroups"), "resource rules must supply at least one api group", "api groups");
        some(asked.at("resources"), "resource rules must supply at least one resource", "resources");
        Spot namespaces = asked.at("namespaces");
        if (namespaces.value().isEmpty()) {
            if (!asked.isTrue("clusterScope")) {
                namespaces.required("resource rules that are not cluster scoped must supply at least one namespace");
            }
        } else if (some(namespaces, "", "namespaces")) {
            for (Spot namespace : namespaces.each()) {
                Names.labelError(namespace.text())
                        .ifPresent(error -> namespace.invalid(
                                "each member of this list must be '*' or a DNS-1123 label; " + error));
            }
        }
    }

    private static void verbs(Spot verbs) {
        if (some(verbs, "verbs must contain at least one value", "verbs")
                && verbs.each().stream().anyMatch(verb -> !VERBS.contains(verb.text()))) {
            verbs.errors().notSupported(verbs.path(), verbs.value(), VERBS);
        }
    }

    /** At least one, or the star that stands for all; whether each of them is to be looked at. */
    private static boolean some(Spot list, String otherwise, String called) {
        if (list.value().isEmpty()) {
            list.required(otherwise);
            return false;
        }
        if (list.each().stream().noneMatch(one -> one.text().equals("*"))) {
            return true;
        }
        if (list.value().size() > 1) {
            list.invalid("if '*' is present, must not specify other " + called);
        }
        return false;
    }

    private static void path(Spot path) {
        String text = path.text();
        int star = text.indexOf('*');
        if (text.isEmpty()) {
            path.invalid("must not be empty");
        } else if (!text.startsWith("/")) {
            path.invalid("must start with slash");
        } else if (text.contains(" ")) {
            path.invalid("must not contain white-space");
        } else if (text.contains("//")) {
            path.invalid("must not contain double slash");
        } else if (star >= 0 && (star != text.length() - 1 || !text.endsWith("/*"))) {
            path.invalid("wildcard can only do suffix matching");
        }
    }
}
