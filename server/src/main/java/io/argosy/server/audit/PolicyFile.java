package io.argosy.server.audit;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads a policy; what is wrong with one is said with its place, in the words of Kubernetes' validation. */
final class PolicyFile {
    private static final Set<String> POLICY =
            Set.of("apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields");
    private static final Set<String> RULE = Set.of(
            "level",
            "users",
            "userGroups",
            "verbs",
            "resources",
            "namespaces",
            "nonResourceURLs",
            "omitStages",
            "omitManagedFields");
    private static final Set<String> RESOURCES = Set.of("group", "resources", "resourceNames");

    private PolicyFile() {}

    static AuditPolicy read(Path file) {
        try {
            return parse(Yaml.decode(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            throw new IllegalArgumentException("There is no audit policy " + file + ".", none);
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IllegalArgumentException("The audit policy " + file + " cannot be read: " + why + ".", e);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "The audit policy " + file + " cannot be used: " + wrong.getMessage() + ".", wrong);
        }
    }

    static AuditPolicy parse(JsonNode tree) {
        require(
                tree.path("kind").asText().equals("Policy")
                        && tree.path("apiVersion").asText().equals("audit.k8s.io/v1"),
                "it is no Policy of audit.k8s.io/v1");
        known(tree, POLICY, "");
        List<AuditRule> rules = new ArrayList<>();
        for (JsonNode rule : tree.path("rules")) {
            rules.add(rule(rule, "rules[" + rules.size() + "]"));
        }
        require(!rules.isEmpty(), "it has no rules");
        return new AuditPolicy(
                List.copyOf(rules),
                stages(tree.path("omitStages"), "omitStages"),
                tree.path("omitManagedFields").asBoolean(false));
    }

    private static AuditRule rule(JsonNode tree, String at) {
        known(tree, RULE, at + ".");
        String level = tree.path("level").asText("");
        require(!level.isEmpty(), at + ".level: Required value");
        AuditRule rule = new AuditRule(
                oneOf(Level.class, level, at + ".level"),
                texts(tree, "users", at),
                texts(tree, "userGroups", at),
                texts(tree, "verbs", at),
                resources(tree.path("resources"), at + ".resources"),
                texts(tree, "namespaces", at),
                texts(tree, "nonResourceURLs", at),
                stages(tree.path("omitStages"), at + ".omitStages"),
                tree.has("omitManagedFields") ? tree.get("omitManagedFields").asBoolean() : null);
        boolean both = !rule.nonResourceUrls().isEmpty()
                && (!rule.resources().isEmpty() || !rule.namespaces().isEmpty());
        require(
                !both,
                at + ".nonResourceURLs: Invalid value: rules cannot apply to both regular resources and"
                        + " non-resource URLs");
        for (int i = 0; i < rule.nonResourceUrls().size(); i++) {
            checkUrl(rule.nonResourceUrls().get(i), at + ".nonResourceURLs[" + i + "]");
        }
        return rule;
    }

    private static void checkUrl(String url, String at) {
        if (url.equals("*")) {
            return;
        }
        String invalid = at + ": Invalid value: \"" + url + "\": ";
        require(url.startsWith("/"), invalid + "non-resource URL rules must begin with a '/' character");
        int star = url.indexOf('*');
        require(
                star < 0 || star == url.length() - 1,
                invalid + "non-resource URL wildcards '*' must be the final character of the rule");
    }

    private static List<AuditRule.Resources> resources(JsonNode trees, String at) {
        List<AuditRule.Resources> all = new ArrayList<>();
        for (JsonNode tree : trees) {
            String here = at + "[" + all.size() + "]";
            known(tree, RESOURCES, here + ".");
            AuditRule.Resources one = new AuditRule.Resources(
                    tree.path("group").asText(""), texts(tree, "resources", here), texts(tree, "resourceNames", here));
            require(
                    !one.resources().isEmpty() || one.names().isEmpty(),
                    here + ".resourceNames: Invalid value: using resourceNames requires at least one resource");
            require(
                    one.group().indexOf('/') < 0,
                    here + ".group: Invalid value: \"" + one.group() + "\": must not hold a version");
            all.add(one);
        }
        return List.copyOf(all);
    }

    private static List<String> texts(JsonNode tree, String name, String at) {
        JsonNode list = tree.path(name);
        require(list.isMissingNode() || list.isNull() || list.isArray(), at + "." + name + ": must be a list");
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asText()));
        return List.copyOf(texts);
    }

    private static Set<Stage> stages(JsonNode list, String at) {
        Set<Stage> stages = EnumSet.noneOf(Stage.class);
        list.forEach(stage -> stages.add(oneOf(Stage.class, stage.asText(), at)));
        return stages;
    }

    private static <E extends Enum<E>> E oneOf(Class<E> type, String name, String at) {
        for (E one : type.getEnumConstants()) {
            if (one.name().equals(name)) {
                return one;
            }
        }
        List<String> names = new ArrayList<>();
        for (E one : type.getEnumConstants()) {
            names.add("\"" + one.name() + "\"");
        }
        throw new IllegalArgumentException(
                at + ": Unsupported value: \"" + name + "\": supported values: " + String.join(", ", names));
    }

    private static void known(JsonNode tree, Set<String> fields, String at) {
        require(tree.isObject(), at + " must be an object");
        for (Map.Entry<String, JsonNode> field : tree.properties()) {
            require(fields.contains(field.getKey()), "unknown field \"" + at + field.getKey() + "\"");
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
