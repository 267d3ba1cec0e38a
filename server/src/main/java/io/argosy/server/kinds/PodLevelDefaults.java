package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.PodAmounts;
import java.util.List;
import java.util.Map;

/** What a pod asks for as a whole where it says only a part of it: what its containers ask for together, or else its limit. */
final class PodLevelDefaults {
    private static final String HUGE_PAGES = "hugepages-";

    private PodLevelDefaults() {}

    static void fill(ObjectNode spec) {
        JsonNode resources = spec.path("resources");
        boolean limited = !resources.path("limits").isEmpty();
        if (!limited && resources.path("requests").isEmpty()) {
            return;
        }
        hugePages(spec, (ObjectNode) resources);
        if (!resources.path("limits").isEmpty()) {
            requests(spec, (ObjectNode) resources);
        }
    }

    private static void hugePages(ObjectNode spec, ObjectNode resources) {
        ofContainers(spec, "limits").forEach((resource, amount) -> {
            if (resource.startsWith(HUGE_PAGES) && !resources.path("requests").has(resource)) {
                fill(resources, "limits", resource, amount.toString());
            }
        });
    }

    private static void requests(ObjectNode spec, ObjectNode resources) {
        ofContainers(spec, "requests").forEach((resource, amount) -> {
            if (resource.equals("cpu") || resource.equals("memory")) {
                fill(resources, "requests", resource, amount.toString());
            }
        });
        resources.path("limits").properties().forEach(limit -> {
            String resource = limit.getKey();
            if (resource.equals("cpu") || resource.equals("memory") || resource.startsWith(HUGE_PAGES)) {
                fill(resources, "requests", resource, limit.getValue().asText());
            }
        });
    }

    private static Map<String, Amount> ofContainers(ObjectNode spec, String which) {
        ObjectNode containers = spec.objectNode();
        for (String list : List.of("containers", "initContainers")) {
            containers.set(list, spec.path(list));
        }
        return PodAmounts.of(containers, which);
    }

    private static void fill(ObjectNode resources, String list, String resource, String amount) {
        ObjectNode amounts = child(resources, list);
        if (!amounts.has(resource)) {
            amounts.put(resource, amount);
        }
    }
}
