package io.argosy.controllers.clusterrole;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.LabelSelectors;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What an aggregated ClusterRole should allow: all that the roles its selectors find allow, each rule once. */
final class RoleUnion {
    private RoleUnion() {}

    static boolean isAggregated(JsonNode role) {
        return role.path("aggregationRule").isObject();
    }

    static ArrayNode rules(JsonNode aggregated, Collection<ObjectNode> all) {
        List<ObjectNode> others = all.stream()
                .filter(role -> !name(role).equals(name(aggregated)))
                .sorted(Comparator.comparing(RoleUnion::name))
                .toList();
        Set<JsonNode> rules = new LinkedHashSet<>();
        for (JsonNode written : aggregated.at("/aggregationRule/clusterRoleSelectors")) {
            LabelSelector selector = selector(written);
            others.stream()
                    .filter(role -> LabelSelectors.matches(selector, labels(role)))
                    .forEach(role -> role.path("rules").forEach(rules::add));
        }
        ArrayNode union = Json.NODES.arrayNode();
        rules.forEach(union::add);
        return union;
    }

    static String name(JsonNode role) {
        return role.at("/metadata/name").asText();
    }

    private static Map<String, String> labels(JsonNode role) {
        return texts(role.at("/metadata/labels"));
    }

    private static Map<String, String> texts(JsonNode object) {
        Map<String, String> texts = new HashMap<>();
        object.properties()
                .forEach(text -> texts.put(text.getKey(), text.getValue().asText()));
        return texts;
    }

    private static LabelSelector selector(JsonNode selector) {
        LabelSelectorBuilder builder = new LabelSelectorBuilder().withMatchLabels(texts(selector.path("matchLabels")));
        for (JsonNode expression : selector.path("matchExpressions")) {
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asText()));
            builder.addToMatchExpressions(new LabelSelectorRequirement(
                    expression.path("key").asText(), expression.path("operator").asText(), values));
        }
        return builder.build();
    }
}
