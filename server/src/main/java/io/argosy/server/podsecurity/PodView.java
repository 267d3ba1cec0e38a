package io.argosy.server.podsecurity;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A pod, or the template of one, as the rules look at it. */
record PodView(JsonNode metadata, JsonNode spec) {
    private static final List<String> LISTS = List.of("initContainers", "containers", "ephemeralContainers");

    List<JsonNode> containers() {
        List<JsonNode> all = new ArrayList<>();
        LISTS.forEach(list -> spec.path(list).forEach(all::add));
        return all;
    }

    JsonNode security() {
        return spec.path("securityContext");
    }

    boolean isWindows() {
        return spec.path("os").path("name").asText().equals("windows");
    }

    /** Whoever is root inside is nobody outside. */
    boolean hasOwnUsers() {
        return spec.has("hostUsers") && !spec.path("hostUsers").asBoolean();
    }

    /** The names of the containers whose security context is like that. */
    List<String> containersWhose(Predicate<JsonNode> security) {
        return containers().stream()
                .filter(container -> security.test(container.path("securityContext")))
                .map(container -> container.path("name").asText())
                .toList();
    }

    /** Who sets something that is bad: the pod, containers, or both; and to what. */
    record Setters(List<String> who, Set<String> values) {
        boolean none() {
            return who.isEmpty();
        }

        String joined() {
            return String.join(" and ", who);
        }
    }

    /** Who sets the field of the security context, by its path, to a value that is not allowed. */
    Setters setting(String pointer, Predicate<JsonNode> bad) {
        Set<String> values = new TreeSet<>();
        List<String> who = new ArrayList<>();
        JsonNode ofPod = security().at(pointer);
        if (bad.test(ofPod)) {
            who.add("pod");
            values.add(ofPod.asText());
        }
        List<String> names = containersWhose(security -> {
            JsonNode value = security.at(pointer);
            if (bad.test(value)) {
                values.add(value.asText());
                return true;
            }
            return false;
        });
        if (!names.isEmpty()) {
            who.add(Violation.named("container", names));
        }
        return new Setters(who, values);
    }

    /** The containers for which neither they themselves nor the pod say what is good. */
    List<String> withoutOwnOrPods(String pointer, Predicate<JsonNode> good) {
        boolean podIsGood = good.test(security().at(pointer));
        return containersWhose(security -> {
            JsonNode own = security.at(pointer);
            return own.isMissingNode() || own.isNull() ? !podIsGood : !good.test(own);
        });
    }
}
