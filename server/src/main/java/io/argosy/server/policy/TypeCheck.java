package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.cel.common.types.CelType;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.server.cel.Expressions.CompileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds the expressions of a policy against the kinds it names: what no object of such a kind can have is worth a warning. */
final class TypeCheck {
    private static final int MAX_KINDS = 10;

    private final JsonNode spec;
    private final Map<GroupVersionKind, PolicyScopes> scopes = new LinkedHashMap<>();

    TypeCheck(JsonNode spec, ResourceTypes types) {
        this.spec = spec;
        for (ResourceType type : named(types)) {
            Optional<Schema> schema = Schemas.builtIn().find(type.groupVersionKind());
            if (schema.isPresent() && scopes.size() < MAX_KINDS) {
                ObjectTypes known = new ObjectTypes();
                CelType object = known.of(schema.get());
                scopes.put(
                        type.groupVersionKind(),
                        new PolicyScopes(spec, Map.of("object", object, "oldObject", object), known.structs())
                                .compile());
            }
        }
    }

    /** The resources that the rules name without a wildcard. */
    private List<ResourceType> named(ResourceTypes types) {
        List<ResourceType> named = new ArrayList<>();
        for (JsonNode rule : spec.path("matchConstraints").path("resourceRules")) {
            for (JsonNode group : rule.path("apiGroups")) {
                for (JsonNode version : rule.path("apiVersions")) {
                    for (JsonNode resource : rule.path("resources")) {
                        types.find(new GroupVersion(group.asText(), version.asText()), resource.asText())
                                .ifPresent(named::add);
                    }
                }
            }
        }
        return named;
    }

    /** What is to be said of each expression; empty if there is nothing. */
    ArrayNode warnings() {
        ArrayNode warnings = Json.NODES.arrayNode();
        variables(warnings);
        check("validations", "expression", warnings);
        check("validations", "messageExpression", warnings);
        check("auditAnnotations", "valueExpression", warnings);
        return warnings;
    }

    private void variables(ArrayNode warnings) {
        for (int i = 0; i < spec.path("variables").size(); i++) {
            String name = spec.path("variables").get(i).path("name").asText();
            List<String> lines = new ArrayList<>();
            scopes.forEach((kind, scope) -> {
                if (scope.errors().containsKey(name)) {
                    lines.add(line(kind, scope.errors().get(name)));
                }
            });
            add(warnings, "spec.variables[" + i + "].expression", lines);
        }
    }

    private void check(String list, String field, ArrayNode warnings) {
        for (int i = 0; i < spec.path(list).size(); i++) {
            String expression = spec.path(list).get(i).path(field).asText("");
            if (expression.isBlank()) {
                continue;
            }
            List<String> lines = new ArrayList<>();
            for (Map.Entry<GroupVersionKind, PolicyScopes> one : scopes.entrySet()) {
                try {
                    one.getValue().whole().compile(expression);
                } catch (CompileException wrong) {
                    lines.add(line(one.getKey(), wrong.getMessage()));
                }
            }
            add(warnings, "spec." + list + "[" + i + "]." + field, lines);
        }
    }

    private static String line(GroupVersionKind kind, String error) {
        return kind.apiVersion() + ", Kind=" + kind.kind() + ": " + error.replaceFirst("^compilation failed: ", "");
    }

    private static void add(ArrayNode warnings, String path, List<String> lines) {
        if (!lines.isEmpty()) {
            warnings.addObject().put("fieldRef", path).put("warning", String.join("\n", lines));
        }
    }
}
