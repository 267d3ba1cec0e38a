package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** How volumes are made, and what is promised of them: it stays as it was when the first of them was made. */
public final class StorageClassRules {
    private static final int MOST_PARAMETERS = 512;
    private static final int LARGEST_PARAMETERS = 256 * 1024;

    private StorageClassRules() {}

    public static void check(Spot storageClass) {
        maker(storageClass.at("provisioner"));
        parameters(storageClass.at("parameters"));
        storageClass.at("reclaimPolicy").oneOf(List.of("Delete", "Retain"));
        storageClass.at("volumeBindingMode").neededOneOf(List.of("Immediate", "WaitForFirstConsumer"));
        topologies(storageClass.each("allowedTopologies"));
    }

    public static void change(Spot storageClass, JsonNode before) {
        fixed(storageClass, before, "parameters", "provisioner", "reclaimPolicy");
        Spot mode = storageClass.at("volumeBindingMode");
        if (!mode.value().equals(before.path("volumeBindingMode"))) {
            mode.invalid("field is immutable");
        }
    }

    /** A class of attributes, which volumes may be given and change. */
    public static void checkAttributes(Spot attributes) {
        maker(attributes.at("driverName"));
        Spot parameters = attributes.at("parameters");
        parameters(parameters);
        if (parameters.value().isEmpty()) {
            parameters.required("must contain at least one key/value pair");
        }
    }

    public static void changeAttributes(Spot attributes, JsonNode before) {
        fixed(attributes, before, "driverName", "parameters");
    }

    private static void fixed(Spot object, JsonNode before, String... fields) {
        for (String field : fields) {
            if (!object.at(field).value().equals(before.path(field))) {
                object.at(field).forbidden("updates to " + field + " are forbidden.");
            }
        }
    }

    private static void maker(Spot name) {
        if (name.needed()) {
            String lower = name.text().toLowerCase(Locale.ROOT);
            Names.qualifiedNameError(lower).ifPresent(error -> name.invalid(lower, error));
        }
    }

    private static void parameters(Spot parameters) {
        if (parameters.value().size() > MOST_PARAMETERS) {
            parameters.errors().tooLong(parameters.path(), MOST_PARAMETERS);
            return;
        }
        long size = 0;
        for (Map.Entry<String, JsonNode> parameter : parameters.value().properties()) {
            if (parameter.getKey().isEmpty()) {
                parameters.invalid("", "field can not be empty.");
            }
            size += parameter.getKey().length() + parameter.getValue().asText().length();
        }
        if (size > LARGEST_PARAMETERS) {
            parameters.errors().tooLong(parameters.path(), LARGEST_PARAMETERS);
        }
    }

    /** Where volumes may be made: no place twice. */
    private static void topologies(List<Spot> terms) {
        Set<Map<String, Set<String>>> known = new HashSet<>();
        for (Spot term : terms) {
            Map<String, Set<String>> places = new HashMap<>();
            for (Spot expression : term.each("matchLabelExpressions")) {
                Set<String> values = values(expression.at("values"));
                expression.at("key").qualifiedName();
                if (places.put(expression.text("key"), values) != null) {
                    expression.at("key").duplicate(expression.text("key"));
                }
            }
            if (!known.add(places)) {
                term.at("matchLabelExpressions").duplicate("");
            }
        }
    }

    private static Set<String> values(Spot values) {
        if (values.value().isEmpty()) {
            values.required();
        }
        Set<String> distinct = new HashSet<>();
        for (Spot value : values.each()) {
            if (!distinct.add(value.text())) {
                value.duplicate(value.text());
            }
        }
        return distinct;
    }
}
