package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Brings a stored role or binding up to what it should at least be; what people added to it stays. */
public final class PolicyMerge {
    private PolicyMerge() {}

    /** The object as it should be stored, or null if it is good as it is. People may ask for it to be left alone. */
    public static ObjectNode merged(ObjectNode stored, ObjectNode expected) {
        if (stored.at("/metadata/annotations")
                .path(BootstrapPolicy.AUTOUPDATE)
                .asText("")
                .equals("false")) {
            return null;
        }
        ObjectNode merged = stored.deepCopy();
        boolean changed = addTexts(merged, expected, "labels");
        changed |= addTexts(merged, expected, "annotations");
        if (expected.has("roleRef")) {
            changed |= addAll(merged, "subjects", expected.path("subjects"));
        } else if (expected.has("aggregationRule")) {
            changed |= addAll(
                    merged.withObject("/aggregationRule"),
                    "clusterRoleSelectors",
                    expected.at("/aggregationRule/clusterRoleSelectors"));
        } else {
            changed |= addRules(merged, expected);
        }
        return changed ? merged : null;
    }

    private static boolean addTexts(ObjectNode merged, ObjectNode expected, String field) {
        ObjectNode metadata = (ObjectNode) merged.get("metadata");
        ObjectNode texts = metadata.get(field) instanceof ObjectNode found ? found : metadata.putObject(field);
        boolean changed = false;
        for (var text : expected.path("metadata").path(field).properties()) {
            if (!texts.path(text.getKey()).equals(text.getValue())) {
                texts.set(text.getKey(), text.getValue());
                changed = true;
            }
        }
        return changed;
    }

    private static boolean addAll(ObjectNode merged, String field, JsonNode expected) {
        ArrayNode list = merged.get(field) instanceof ArrayNode found ? found : merged.putArray(field);
        boolean changed = false;
        for (JsonNode item : expected) {
            boolean present = false;
            for (JsonNode own : list) {
                present |= own.equals(item);
            }
            if (!present) {
                list.add(item);
                changed = true;
            }
        }
        return changed;
    }

    private static boolean addRules(ObjectNode merged, ObjectNode expected) {
        List<PolicyRule> missing = Coverage.missing(PolicyRule.ofRole(merged), PolicyRule.ofRole(expected));
        ArrayNode rules = merged.get("rules") instanceof ArrayNode found ? found : merged.putArray("rules");
        missing.forEach(rule -> rules.add(rule.json()));
        return !missing.isEmpty();
    }
}
