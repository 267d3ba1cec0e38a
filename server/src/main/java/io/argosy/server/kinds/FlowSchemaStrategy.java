package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.flow.BootstrapFlows;
import io.argosy.server.registry.Strategy;
import java.util.List;
import java.util.Locale;

/** FlowSchemas: which requests go to which priority level. Those that every cluster needs stay as they are. */
final class FlowSchemaStrategy implements Strategy {
    private static final int LAST = 10_000;

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
        if (spec.at("/priorityLevelConfiguration/name").asText("").isEmpty()) {
            errors.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
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
            some(paths.get(i), at, "verbs", "verbs must contain at least one value", errors);
            some(paths.get(i), at, "nonResourceURLs", "nonResourceURLs must contain at least one value", errors);
        }
    }

    private static void subject(ObjectNode subject, String path, FieldErrors errors) {
        String kind = subject.path("kind").asText();
        if (!List.of("ServiceAccount", "User", "Group").contains(kind)) {
            errors.notSupported(path + ".kind", kind, List.of("Group", "ServiceAccount", "User"));
            return;
        }
        String field = kind.substring(0, 1).toLowerCase(Locale.ROOT) + kind.substring(1);
        ObjectNode named = existing(subject, field);
        if (named == null) {
            errors.required(path + "." + field, field + " is required when subject kind is '" + kind + "'");
            return;
        }
        if (named.path("name").asText("").isEmpty()) {
            errors.required(path + "." + field + ".name", "");
        }
        if (kind.equals("ServiceAccount") && named.path("namespace").asText("").isEmpty()) {
            errors.required(path + ".serviceAccount.namespace", "must specify namespace for service account");
        }
    }

    private static void resources(ObjectNode rule, String path, FieldErrors errors) {
        some(rule, path, "verbs", "verbs must contain at least one value", errors);
        some(rule, path, "apiGroups", "resource rules must supply at least one api group", errors);
        some(rule, path, "resources", "resource rules must supply at least one resource", errors);
        if (rule.path("namespaces").isEmpty() && !rule.path("clusterScope").asBoolean()) {
            errors.required(
                    path + ".namespaces",
                    "resource rules that are not cluster scoped must supply at least one namespace");
        }
    }

    private static void some(ObjectNode rule, String path, String field, String otherwise, FieldErrors errors) {
        JsonNode list = rule.path(field);
        if (list.isEmpty()) {
            errors.required(path + "." + field, otherwise);
        }
        if (list.size() > 1) {
            for (JsonNode text : list) {
                if (text.asText().equals("*")) {
                    errors.invalid(path + "." + field, list, "if '*' is present, must not specify other " + field);
                }
            }
        }
    }
}
