package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.authz.Authorizer.Action;
import java.util.ArrayList;
import java.util.List;

/** One rule of a role: which verbs it allows on which resources, or on which paths. */
public record PolicyRule(
        List<String> verbs,
        List<String> apiGroups,
        List<String> resources,
        List<String> resourceNames,
        List<String> nonResourceUrls) {
    private static final String ALL = "*";
    private static final List<String> EVERY = List.of(ALL);

    /** Everything on every resource, and everything on every path: what cluster administrators have. */
    public static final List<PolicyRule> FULL_AUTHORITY = List.of(
            new PolicyRule(EVERY, EVERY, EVERY, List.of(), List.of()),
            new PolicyRule(EVERY, List.of(), List.of(), List.of(), EVERY));

    /** The rules of a Role or ClusterRole. */
    public static List<PolicyRule> ofRole(JsonNode role) {
        List<PolicyRule> rules = new ArrayList<>();
        for (JsonNode rule : role.path("rules")) {
            rules.add(new PolicyRule(
                    texts(rule, "verbs"),
                    texts(rule, "apiGroups"),
                    texts(rule, "resources"),
                    texts(rule, "resourceNames"),
                    texts(rule, "nonResourceURLs")));
        }
        return List.copyOf(rules);
    }

    private static List<String> texts(JsonNode rule, String field) {
        List<String> texts = new ArrayList<>();
        rule.path(field).forEach(text -> texts.add(text.asText()));
        return List.copyOf(texts);
    }

    /** The rule as it stands in a role. */
    public ObjectNode json() {
        ObjectNode rule = Json.object();
        put(rule, "verbs", verbs);
        put(rule, "apiGroups", apiGroups);
        put(rule, "resources", resources);
        put(rule, "resourceNames", resourceNames);
        put(rule, "nonResourceURLs", nonResourceUrls);
        return rule;
    }

    private static void put(ObjectNode rule, String field, List<String> texts) {
        if (!texts.isEmpty()) {
            texts.forEach(rule.putArray(field)::add);
        }
    }

    public boolean allows(Action action) {
        return action.isOnResource()
                ? has(verbs, action.verb())
                        && has(apiGroups, action.group())
                        && hasResource(action.resource(), action.subresource())
                        && hasName(action.name())
                : has(verbs, action.verb()) && hasPath(action.path());
    }

    private static boolean has(List<String> allowed, String wanted) {
        return allowed.contains(ALL) || allowed.contains(wanted);
    }

    private boolean hasResource(String resource, String subresource) {
        for (String allowed : resources) {
            if (allowed.equals(ALL)) {
                return true;
            }
            if (subresource.isEmpty() ? allowed.equals(resource) : isOneOf(allowed, resource, subresource)) {
                return true;
            }
        }
        return false;
    }

    /** {@code pods/log}, or {@code *}{@code /scale} for that part of every resource. */
    private static boolean isOneOf(String allowed, String resource, String subresource) {
        int slash = allowed.indexOf('/');
        return slash > 0
                && allowed.substring(slash + 1).equals(subresource)
                && (allowed.startsWith("*/") || (slash == resource.length() && allowed.startsWith(resource)));
    }

    private boolean hasName(String name) {
        return resourceNames.isEmpty() || resourceNames.contains(name);
    }

    private boolean hasPath(String path) {
        for (String allowed : nonResourceUrls) {
            if (allowed.equals(path)
                    || (allowed.endsWith(ALL) && path.startsWith(allowed.substring(0, allowed.length() - 1)))) {
                return true;
            }
        }
        return false;
    }

    /** True if whoever has this rule may do all that the other allows; the other is of one verb, one group and one resource. */
    boolean covers(PolicyRule other) {
        if (!verbs.contains(ALL) && !verbs.containsAll(other.verbs)) {
            return false;
        }
        if (!other.nonResourceUrls.isEmpty()) {
            return other.nonResourceUrls.stream().allMatch(this::hasPath);
        }
        return (apiGroups.contains(ALL) || apiGroups.containsAll(other.apiGroups))
                && other.resources.stream().allMatch(this::coversResource)
                && (resourceNames.isEmpty()
                        || (!other.resourceNames.isEmpty() && resourceNames.containsAll(other.resourceNames)));
    }

    private boolean coversResource(String wanted) {
        if (resources.contains(ALL) || resources.contains(wanted)) {
            return true;
        }
        int slash = wanted.indexOf('/');
        return slash > 0 && resources.contains(ALL + wanted.substring(slash));
    }

    /** In Go's notation, as Kubernetes names rules in its refusals. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        describe(parts, "APIGroups", apiGroups);
        describe(parts, "Resources", resources);
        describe(parts, "ResourceNames", resourceNames);
        describe(parts, "NonResourceURLs", nonResourceUrls);
        describe(parts, "Verbs", verbs);
        return "{" + String.join(", ", parts) + "}";
    }

    private static void describe(List<String> parts, String name, List<String> texts) {
        if (!texts.isEmpty()) {
            parts.add(name + ":" + quoted(texts));
        }
    }

    static String quoted(List<String> texts) {
        return "[\"" + String.join("\" \"", texts) + "\"]";
    }
}
