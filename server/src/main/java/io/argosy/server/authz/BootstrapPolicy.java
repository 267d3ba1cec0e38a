package io.argosy.server.authz;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The roles and bindings that every cluster has, read from a table that people can read too. */
public final class BootstrapPolicy {
    public static final String AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";

    private static final String TABLE = "policy.txt";
    private static final String LABEL_PREFIX = "rbac.authorization.k8s.io/";
    private static final String CONTROLLER_PREFIX = "system:controller:";
    private static final Map<String, String> VERBS = Map.of(
            "read", "get,list,watch",
            "follow", "list,watch",
            "change", "create,delete,deletecollection,patch,update",
            "own", "create,delete,deletecollection,get,list,patch,update,watch");

    private final List<ObjectNode> objects = new ArrayList<>();
    private ObjectNode role;

    private BootstrapPolicy() {}

    /** All objects; the caller's to keep. */
    public static List<ObjectNode> load() {
        try (InputStream in = BootstrapPolicy.class.getResourceAsStream(TABLE)) {
            BootstrapPolicy policy = new BootstrapPolicy();
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(policy::line);
            return policy.objects;
        } catch (IOException e) {
            throw new UncheckedIOException("the built-in roles cannot be read", e);
        }
    }

    /** The rules that a built-in cluster role has from the start, whatever became of the stored one. */
    public static List<PolicyRule> rulesOf(String clusterRole) {
        return load().stream()
                .filter(object -> object.path("kind").asText().equals("ClusterRole")
                        && object.at("/metadata/name").asText().equals(clusterRole))
                .findFirst()
                .map(PolicyRule::ofRole)
                .orElseThrow();
    }

    private void line(String line) {
        if (line.startsWith("#") || line.isBlank()) {
            return;
        }
        List<String> words = List.of(line.strip().split(" +"));
        if (line.startsWith(" ")) {
            about(role, words);
            return;
        }
        switch (words.getFirst()) {
            case "role" -> role = role(words.get(1), words.subList(2, words.size()));
            case "controller" -> {
                String name = CONTROLLER_PREFIX + words.get(1);
                role = role(name, words.subList(2, words.size()));
                bind(name, name, List.of("account=kube-system/" + words.get(1)));
            }
            case "bind" -> bind(words.get(1), words.get(2), words.subList(3, words.size()));
            default -> throw new IllegalStateException("not a line of the built-in roles: " + line);
        }
    }

    private ObjectNode object(String kind, String place) {
        ObjectNode object =
                Json.object().put("kind", prefix(place) + kind).put("apiVersion", RbacAuthorizer.GROUP + "/v1");
        int slash = place.indexOf('/');
        ObjectNode metadata = object.putObject("metadata").put("name", place.substring(slash + 1));
        if (slash > 0) {
            metadata.put("namespace", place.substring(0, slash));
        }
        metadata.putObject("annotations").put(AUTOUPDATE, "true");
        metadata.putObject("labels").put("kubernetes.io/bootstrapping", "rbac-defaults");
        objects.add(object);
        return object;
    }

    /** What stands in no namespace is the cluster's. */
    private static String prefix(String place) {
        return place.contains("/") ? "" : "Cluster";
    }

    private ObjectNode role(String place, List<String> labels) {
        ObjectNode made = object("Role", place);
        for (String label : labels) {
            ((ObjectNode) made.at("/metadata/labels")).put(LABEL_PREFIX + label.substring(1), "true");
        }
        made.putArray("rules");
        return made;
    }

    private void about(ObjectNode role, List<String> words) {
        switch (words.getFirst()) {
            case "from" ->
                role.withArray("/aggregationRule/clusterRoleSelectors")
                        .addObject()
                        .putObject("matchLabels")
                        .put(LABEL_PREFIX + words.get(1), "true");
            case "to" -> {
                String namespace = role.at("/metadata/namespace").asText();
                String name = role.at("/metadata/name").asText();
                bind(namespace.isEmpty() ? name : namespace + "/" + name, name, words.subList(1, words.size()));
            }
            case "events" -> rule(role, List.of("create,patch,update", "core,events.k8s.io", "events"));
            default -> rule(role, words);
        }
    }

    private static void rule(ObjectNode role, List<String> words) {
        ObjectNode rule = ((ArrayNode) role.get("rules")).addObject();
        list(rule, "verbs", VERBS.getOrDefault(words.get(0), words.get(0)));
        if (words.get(1).equals("url")) {
            list(rule, "nonResourceURLs", words.get(2));
            return;
        }
        list(rule, "apiGroups", words.get(1));
        list(rule, "resources", words.get(2));
        if (words.size() > 3) {
            list(rule, "resourceNames", words.get(3));
        }
    }

    private static void list(ObjectNode rule, String field, String texts) {
        ArrayNode list = rule.putArray(field);
        for (String text : texts.split(",", -1)) {
            list.add(text.equals("core") && field.equals("apiGroups") ? "" : text);
        }
    }

    private void bind(String place, String roleName, List<String> names) {
        ObjectNode binding = object("RoleBinding", place);
        binding.putObject("roleRef")
                .put("apiGroup", RbacAuthorizer.GROUP)
                .put("kind", prefix(place) + "Role")
                .put("name", roleName);
        for (String word : names) {
            int equals = word.indexOf('=');
            subject(binding.withArray("subjects").addObject(), word.substring(0, equals), word.substring(equals + 1));
        }
    }

    private static void subject(ObjectNode subject, String kind, String name) {
        if (kind.equals("account")) {
            int slash = name.indexOf('/');
            subject.put("kind", "ServiceAccount").put("name", name.substring(slash + 1));
            subject.put("namespace", name.substring(0, slash));
        } else {
            subject.put("apiGroup", RbacAuthorizer.GROUP);
            subject.put("kind", kind.equals("user") ? "User" : "Group").put("name", name);
        }
    }
}
