package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.api.quantity.Amount;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.Amounts;
import io.argosy.server.validation.Spot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What an autoscaler may say. */
final class AutoscalerValidation {
    private static final int LONGEST_WINDOW = 3600;
    private static final int LONGEST_PERIOD = 1800;

    /** The types of metrics, and the fields that tell of each. */
    private static final Map<String, String> SOURCES = new LinkedHashMap<>();

    static {
        SOURCES.put("Object", "object");
        SOURCES.put("External", "external");
        SOURCES.put("Pods", "pods");
        SOURCES.put("Resource", "resource");
        SOURCES.put("ContainerResource", "containerResource");
    }

    private AutoscalerValidation() {}

    /**
     * Checks what is wanted.
     *
     * @param known true if what is scaled is what was scaled before
     */
    static void spec(JsonNode spec, boolean known, FieldErrors errors) {
        int min = spec.path("minReplicas").asInt();
        int max = spec.path("maxReplicas").asInt();
        if (min < 1) {
            errors.invalid("spec.minReplicas", min, "must be greater than or equal to 1");
        }
        if (max < 1) {
            errors.invalid("spec.maxReplicas", max, "must be greater than 0");
        }
        if (max < min) {
            errors.invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`");
        }
        reference(spec.path("scaleTargetRef"), "spec.scaleTargetRef", errors);
        if (!known) {
            target(spec.path("scaleTargetRef"), errors);
        }
        int index = 0;
        boolean withoutPods = false;
        for (JsonNode metric : spec.path("metrics")) {
            metric(metric, "spec.metrics[" + index++ + "]", errors);
            withoutPods |=
                    List.of("Object", "External").contains(metric.path("type").asText());
        }
        if (min == 0 && !withoutPods) {
            errors.forbidden(
                    "spec.metrics",
                    "must specify at least one Object or External metric to support scaling to zero replicas");
        }
        rules(spec.path("behavior").path("scaleUp"), "spec.behavior.scaleUp", errors);
        rules(spec.path("behavior").path("scaleDown"), "spec.behavior.scaleDown", errors);
    }

    private static void reference(JsonNode reference, String path, FieldErrors errors) {
        for (String field : List.of("kind", "name")) {
            String value = reference.path(field).asText();
            if (value.isEmpty()) {
                errors.required(path + "." + field, "");
            } else {
                Names.pathSegmentError(value).ifPresent(error -> errors.invalid(path + "." + field, value, error));
            }
        }
    }

    /** What is scaled has a group of its own, but for the oldest kind of all. */
    private static void target(JsonNode reference, FieldErrors errors) {
        boolean oldest = reference.path("kind").asText().equals("ReplicationController");
        version(reference, oldest, "spec.scaleTargetRef", errors);
    }

    private static void version(JsonNode reference, boolean anyGroup, String path, FieldErrors errors) {
        String version = reference.path("apiVersion").asText("");
        if (version.indexOf('/') != version.lastIndexOf('/')) {
            errors.invalid(path + ".apiVersion", version, "unexpected GroupVersion string: " + version);
        } else if (!anyGroup && version.indexOf('/') < 0) {
            errors.invalid(path + ".apiVersion", version, "apiVersion must specify API group");
        }
    }

    static void status(JsonNode status, FieldErrors errors) {
        for (String count : List.of("currentReplicas", "desiredReplicas")) {
            if (status.path(count).asInt() < 0) {
                errors.invalid("status." + count, status.path(count).asInt(), "must be greater than or equal to 0");
            }
        }
    }

    /** Of several sources only the first is looked at, since only one may be there at all. */
    private static void metric(JsonNode metric, String path, FieldErrors errors) {
        String type = metric.path("type").asText();
        String expected = SOURCES.get(type);
        if (type.isEmpty()) {
            errors.required(path + ".type", "must specify a metric source type");
        }
        if (expected == null) {
            errors.notSupported(path + ".type", type, new TreeSet<>(SOURCES.keySet()));
        }
        List<String> given = SOURCES.values().stream().filter(metric::has).toList();
        if (!given.isEmpty()) {
            source(given.getFirst(), metric.path(given.getFirst()), path + "." + given.getFirst(), errors);
        }
        if (expected != null && !given.contains(expected)) {
            errors.required(path + "." + expected, "must populate information for the given metric source");
        }
        if (given.size() > 1) {
            given.stream()
                    .filter(field -> !field.equals(expected))
                    .forEach(field ->
                            errors.forbidden(path + "." + field, "must populate the given metric source only"));
        }
    }

    private static void source(String kind, JsonNode source, String path, FieldErrors errors) {
        switch (kind) {
            case "resource" -> {
                resourceName(source, path, errors);
                resource(source, path, errors);
            }
            case "containerResource" -> {
                Spot spot = new Spot(source, path, errors);
                if (resourceName(source, path, errors)) {
                    Amounts.containerResource(spot.text("name"), spot.at("name"));
                }
                if (spot.text("container").isEmpty()) {
                    spot.at("container").required("must specify a container");
                } else {
                    spot.at("container").label();
                }
                resource(source, path, errors);
            }
            default -> custom(kind, source, path, errors);
        }
    }

    private static boolean resourceName(JsonNode source, String path, FieldErrors errors) {
        boolean named = !source.path("name").asText().isEmpty();
        if (!named) {
            errors.required(path + ".name", "must specify a resource name");
        }
        return named;
    }

    private static void resource(JsonNode source, String path, FieldErrors errors) {
        JsonNode target = source.path("target");
        target(target, path + ".target", errors);
        boolean share = target.has("averageUtilization");
        boolean amount = target.has("averageValue");
        if (!share && !amount) {
            errors.required(
                    path + ".target.averageUtilization", "must set either a target raw value or a target utilization");
        }
        if (share && amount) {
            errors.forbidden(
                    path + ".target.averageValue", "may not set both a target raw value and a target utilization");
        }
    }

    private static void custom(String kind, JsonNode source, String path, FieldErrors errors) {
        if (kind.equals("object")) {
            reference(source.path("describedObject"), path + ".describedObject", errors);
            version(source.path("describedObject"), true, path + ".describedObject", errors);
        }
        String name = source.path("metric").path("name").asText();
        if (name.isEmpty()) {
            errors.required(path + ".metric.name", "must specify a metric name");
        } else {
            Names.pathSegmentError(name).ifPresent(error -> errors.invalid(path + ".metric.name", name, error));
        }
        JsonNode target = source.path("target");
        target(target, path + ".target", errors);
        boolean average = target.has("averageValue");
        if (kind.equals("pods")) {
            if (!average) {
                errors.required(path + ".target.averageValue", "must specify a positive target averageValue");
            }
        } else if (!average && !target.has("value")) {
            errors.required(
                    path + ".target.averageValue",
                    kind.equals("object")
                            ? "must set either a target value or averageValue"
                            : "must set either a target value for metric or a per-pod target");
        } else if (average && target.has("value") && kind.equals("external")) {
            errors.forbidden(path + ".target.value", "may not set both a target value for metric and a per-pod target");
        }
    }

    private static void target(JsonNode target, String path, FieldErrors errors) {
        String type = target.path("type").asText();
        if (type.isEmpty()) {
            errors.required(path + ".type", "must specify a metric target type");
        }
        if (!List.of("Utilization", "Value", "AverageValue").contains(type)) {
            errors.invalid(path + ".type", type, "must be either Utilization, Value, or AverageValue");
        }
        for (String field : List.of("value", "averageValue")) {
            if (target.has(field)
                    && Amount.parse(target.path(field).asText())
                            .map(amount -> !amount.isPositive())
                            .orElse(false)) {
                errors.invalid(path + "." + field, target.path(field).asText(), "must be positive");
            }
        }
        if (target.has("averageUtilization")
                && target.path("averageUtilization").asInt() < 1) {
            errors.invalid(
                    path + ".averageUtilization",
                    target.path("averageUtilization").asInt(),
                    "must be greater than 0");
        }
    }

    private static void rules(JsonNode rules, String path, FieldErrors errors) {
        if (!rules.isObject()) {
            return;
        }
        JsonNode window = rules.path("stabilizationWindowSeconds");
        if (window.asInt() < 0) {
            errors.invalid(
                    path + ".stabilizationWindowSeconds", window.asInt(), "must be greater than or equal to zero");
        } else if (window.asInt() > LONGEST_WINDOW) {
            errors.invalid(
                    path + ".stabilizationWindowSeconds",
                    window.asInt(),
                    "must be less than or equal to " + LONGEST_WINDOW);
        }
        String select = rules.path("selectPolicy").asText("Max");
        if (!List.of("Max", "Min", "Disabled").contains(select)) {
            errors.notSupported(path + ".selectPolicy", select, List.of("Disabled", "Max", "Min"));
        }
        if (rules.path("policies").isEmpty()) {
            errors.required(path + ".policies", "must specify at least one Policy");
        }
        int index = 0;
        for (JsonNode policy : rules.path("policies")) {
            policy(policy, path + ".policies[" + index++ + "]", errors);
        }
        if (rules.has("tolerance")
                && Amount.parse(rules.path("tolerance").asText())
                        .map(amount -> amount.compareTo(Amount.ZERO) < 0)
                        .orElse(false)) {
            errors.invalid(path + ".tolerance", rules.path("tolerance").asText(), "must be greater than or equal to 0");
        }
    }

    private static void policy(JsonNode policy, String path, FieldErrors errors) {
        String type = policy.path("type").asText();
        if (!type.equals("Pods") && !type.equals("Percent")) {
            errors.notSupported(path + ".type", type, List.of("Percent", "Pods"));
        }
        if (policy.path("value").asInt() <= 0) {
            errors.invalid(path + ".value", policy.path("value").asInt(), "must be greater than zero");
        }
        int period = policy.path("periodSeconds").asInt();
        if (period <= 0) {
            errors.invalid(path + ".periodSeconds", period, "must be greater than zero");
        } else if (period > LONGEST_PERIOD) {
            errors.invalid(path + ".periodSeconds", period, "must be less than or equal to " + LONGEST_PERIOD);
        }
    }
}
