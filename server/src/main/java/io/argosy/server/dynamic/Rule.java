package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.kinds.ResourceType;
import java.util.ArrayList;
import java.util.List;

/** One rule of a webhook or policy: on which resources, and on what is done with them, it bears. */
record Rule(
        List<String> operations,
        List<String> groups,
        List<String> versions,
        List<String> resources,
        String scope,
        List<String> names) {
    static List<Rule> all(JsonNode rules) {
        List<Rule> all = new ArrayList<>();
        for (JsonNode rule : rules) {
            all.add(new Rule(
                    texts(rule.path("operations")),
                    texts(rule.path("apiGroups")),
                    texts(rule.path("apiVersions")),
                    texts(rule.path("resources")),
                    rule.path("scope").asText("*"),
                    texts(rule.path("resourceNames"))));
        }
        return all;
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }

    boolean matches(String operation, ResourceType type, String subresource, String name) {
        return has(operations, operation)
                && has(groups, type.group())
                && has(versions, type.version())
                && inScope(type)
                && (names.isEmpty() || names.contains(name))
                && resources.stream().anyMatch(resource -> covers(resource, type.plural(), subresource));
    }

    private static boolean has(List<String> wanted, String actual) {
        return wanted.contains("*") || wanted.contains(actual);
    }

    private boolean inScope(ResourceType type) {
        return switch (scope) {
            case "Namespaced" -> type.namespaced();
            case "Cluster" -> !type.namespaced();
            default -> true;
        };
    }

    /** {@code pods} is the resource alone, {@code pods/status} that part alone, {@code pods/*} the resource and all its parts. */
    private static boolean covers(String wanted, String resource, String subresource) {
        int slash = wanted.indexOf('/');
        String wantedResource = slash < 0 ? wanted : wanted.substring(0, slash);
        String wantedPart = slash < 0 ? "" : wanted.substring(slash + 1);
        return (wantedResource.equals("*") || wantedResource.equals(resource))
                && (wantedPart.equals("*") || wantedPart.equals(subresource));
    }
}
