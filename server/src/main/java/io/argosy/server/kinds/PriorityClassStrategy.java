package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;

/** PriorityClasses: numbers that never change, the highest of them kept for the system. */
final class PriorityClassStrategy implements Strategy {
    private static final String SYSTEM = "system-";
    private static final long HIGHEST = 1_000_000_000;
    private static final Map<String, Long> OF_THE_SYSTEM =
            Map.of("system-node-critical", 2_000_001_000L, "system-cluster-critical", 2_000_000_000L);

    @Override
    public void applyDefaults(ObjectNode priorityClass) {
        SmallDefaults.priorityClass(priorityClass);
    }

    /** What could change of a class is no wish that anybody follows: its generation is the first for ever. */
    @Override
    public void prepareForCreate(ObjectNode priorityClass) {
        Trees.child(priorityClass, "metadata").put("generation", 1);
    }

    /** Of a class that exists nothing of this can change but whether it is the default, which people may decide. */
    @Override
    public void validateCreate(ObjectNode priorityClass, FieldErrors errors) {
        String name = priorityClass.path("metadata").path("name").asText();
        long value = priorityClass.path("value").asLong();
        if (name.startsWith(SYSTEM)) {
            String problem = systemProblem(name, value, priorityClass);
            if (problem != null) {
                errors.forbidden(
                        "metadata.name",
                        "priority class names with '" + SYSTEM + "' prefix are reserved for system use only. error: "
                                + problem);
            }
        } else if (value > HIGHEST) {
            errors.forbidden("value", "maximum allowed value of a user defined priority is " + HIGHEST);
        }
        new Spot(priorityClass, "", errors)
                .at("preemptionPolicy")
                .neededOneOf(List.of("PreemptLowerPriority", "Never"));
    }

    private static String systemProblem(String name, long value, ObjectNode priorityClass) {
        Long known = OF_THE_SYSTEM.get(name);
        if (known == null) {
            return name + " is not a known system priority class";
        }
        if (known != value) {
            return "value of " + name + " PriorityClass must be " + known;
        }
        return priorityClass.path("globalDefault").asBoolean()
                ? "globalDefault of " + name + " PriorityClass must be false"
                : null;
    }

    @Override
    public void validateUpdate(ObjectNode priorityClass, ObjectNode before, String subresource, FieldErrors errors) {
        if (priorityClass.path("value").asLong() != before.path("value").asLong()) {
            errors.forbidden("value", "may not be changed in an update.");
        }
        if (!priorityClass.path("preemptionPolicy").equals(before.path("preemptionPolicy"))) {
            errors.invalid(
                    "preemptionPolicy", priorityClass.path("preemptionPolicy").asText(), "field is immutable");
        }
    }
}
