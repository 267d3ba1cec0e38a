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

/** The roles and bindings that every cluster has, read from a table that people can read too. */
public final class BootstrapPolicy {
    public static final String AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";

    private static final String TABLE = "policy.txt";
    private static final String LABEL_PREFIX = "rbac.authorization.k8s.io/";

    private final List<ObjectNode> objects = new ArrayList<>();

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

    private void line(String line) {
        if (line.startsWith("#") || line.isBlank()) {
            return;
        }
        List<String> words = List.of(line.strip().split(" +"));
        if (line.startsWith(" ")) {
            rule(objects.getLast(), words);
        } else if (words.getFirst().endsWith("Binding")) {
            binding(words);
        } else {
            role(words);
        }
    }

    private ObjectNode object(String kind, String place) {
        int slash = place.indexOf('/');
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", RbacAuthorizer.GROUP + "/v1");
        ObjectNode metadata = object.putObject("metadata").put("name", place.substring(slash + 1));
        if (slash > 0) {
            metadata.put("namespace", place.substring(0, slash));
        }
        metadata.putObject("annotations").put(AUTOUPDATE, "true");
        metadata.putObject("labels").put("kubernetes.io/bootstrapping", "rbac-defaults");
        objects.add(object);
        return object;
    }

    private void role(List<String> words) {
        ObjectNode role = object(words.get(0), words.get(1));
        for (String label : words.subList(2, words.size())) {
            ((ObjectNode) role.at("/metadata/labels")).put(LABEL_PREFIX + label.substring(1), "true");
        }
        role.putArray("rules");
    }

    private static void rule(ObjectNode role, List<String> words) {
        if (words.getFirst().equals("from")) {
            role.withArray("/aggregationRule/clusterRoleSelectors")
                    .addObject()
                    .putObject("matchLabels")
                    .put(LABEL_PREFIX + words.get(1), "true");
            return;
        }
        ObjectNode rule = ((ArrayNode) role.get("rules")).addObject();
        list(rule, "verbs", words.get(0));
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

    private void binding(List<String> words) {
        ObjectNode binding = object(words.get(0), words.get(1));
        binding.putObject("roleRef")
                .put("apiGroup", RbacAuthorizer.GROUP)
                .put("kind", words.get(0).replace("Binding", ""))
                .put("name", words.get(2));
        ArrayNode subjects = binding.putArray("subjects");
        for (String word : words.subList(3, words.size())) {
            int equals = word.indexOf('=');
            subject(subjects.addObject(), word.substring(0, equals), word.substring(equals + 1));
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
