package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.registry.Conditions.Condition;
import io.argosy.server.webhook.ClientConfigValidation;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Decides which of the names a definition asks for it gets: those that no other definition of its group holds. */
final class NameClaims {
    private final Set<String> resources = new HashSet<>();
    private final Set<String> kinds = new HashSet<>();

    /**
     * The outcome.
     *
     * @param accepted the names the definition holds from now on
     */
    record Decision(ObjectNode accepted, Condition namesAccepted, Condition established) {}

    /** Knows the names that other definitions of the group hold. */
    NameClaims(Collection<Definition> others) {
        for (Definition other : others) {
            JsonNode names = other.status().path("acceptedNames");
            resources.add(names.path("plural").asText(""));
            resources.add(names.path("singular").asText(""));
            resources.addAll(Definition.texts(names.path("shortNames")));
            kinds.add(names.path("kind").asText(""));
            kinds.add(names.path("listKind").asText(""));
        }
        resources.remove("");
        kinds.remove("");
    }

    Decision decide(Definition definition) {
        JsonNode wanted = definition.spec().path("names");
        JsonNode held = definition.status().path("acceptedNames");
        ObjectNode accepted = held.isObject() ? held.deepCopy() : Json.object();
        Condition names = new Condition("NamesAccepted", "True", "NoConflicts", "no conflicts found");
        names = claim(wanted, held, accepted, "plural", resources, "PluralConflict", names);
        names = claim(wanted, held, accepted, "singular", resources, "SingularConflict", names);
        names = shortNames(wanted, held, accepted, names);
        names = claim(wanted, held, accepted, "kind", kinds, "KindConflict", names);
        names = claim(wanted, held, accepted, "listKind", kinds, "ListKindConflict", names);
        copy(wanted, accepted, "categories");
        return new Decision(
                accepted, names, established(definition, names.status().equals("True")));
    }

    private static Condition established(Definition definition, boolean namesAccepted) {
        boolean established = definition.is("Established");
        JsonNode client = definition.spec().path("conversion").path("webhook").path("clientConfig");
        if (!established
                && namesAccepted
                && ClientConfigValidation.bundleError(client).isPresent()) {
            return new Condition(
                    "Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid");
        }
        if (established || namesAccepted) {
            return new Condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted");
        }
        return new Condition("Established", "False", "NotAccepted", "not all names are accepted");
    }

    private static Condition claim(
            JsonNode wanted,
            JsonNode held,
            ObjectNode accepted,
            String field,
            Set<String> taken,
            String reason,
            Condition soFar) {
        String name = wanted.path(field).asText("");
        if (!name.equals(held.path(field).asText("")) && taken.contains(name)) {
            return conflict(reason, inUse(name));
        }
        copy(wanted, accepted, field);
        return soFar;
    }

    private Condition shortNames(JsonNode wanted, JsonNode held, ObjectNode accepted, Condition soFar) {
        List<String> own = Definition.texts(held.path("shortNames"));
        List<String> conflicts = Definition.texts(wanted.path("shortNames")).stream()
                .filter(name -> !own.contains(name) && resources.contains(name))
                .map(NameClaims::inUse)
                .toList();
        if (!conflicts.isEmpty()) {
            return conflict(
                    "ShortNamesConflict",
                    conflicts.size() == 1 ? conflicts.getFirst() : "[" + String.join(", ", conflicts) + "]");
        }
        copy(wanted, accepted, "shortNames");
        return soFar;
    }

    private static void copy(JsonNode wanted, ObjectNode accepted, String field) {
        JsonNode value = wanted.get(field);
        if (value == null) {
            accepted.remove(field);
        } else if (!Objects.equals(accepted.get(field), value)) {
            accepted.set(field, value.deepCopy());
        }
    }

    private static Condition conflict(String reason, String message) {
        return new Condition("NamesAccepted", "False", reason, message);
    }

    private static String inUse(String name) {
        return "\"" + name + "\" is already in use";
    }
}
