package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** An object has each of its owners once, whoever named one twice. */
public final class OwnerReferences {
    private OwnerReferences() {}

    /** As the client sent them. */
    public static void once(ObjectNode object, Consumer<String> warnings) {
        once(object, "", warnings);
    }

    /** As admission, or a patch, left them. */
    static void onceAgain(ObjectNode object, Consumer<String> warnings) {
        once(object, " after mutating admission happens", warnings);
    }

    private static void once(ObjectNode object, String when, Consumer<String> warnings) {
        if (!(object.path("metadata").path("ownerReferences") instanceof ArrayNode owners) || owners.size() < 2) {
            return;
        }
        Set<JsonNode> distinct = new LinkedHashSet<>();
        List<String> repeated = new ArrayList<>();
        for (JsonNode owner : owners) {
            if (!distinct.add(owner)) {
                repeated.add(owner.path("uid").asText());
            }
        }
        if (!repeated.isEmpty()) {
            owners.removeAll();
            owners.addAll(distinct);
            warnings.accept(".metadata.ownerReferences contains duplicate entries" + when
                    + "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24;"
                    + " please fix your requests; duplicate UID(s) observed: " + String.join(", ", repeated));
        }
    }
}
