package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.ResourceStore;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Gives a new pod what its RuntimeClass says: what it costs beside its containers, and the nodes that have the runtime. */
public final class RuntimeClassAdmission implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");

    private final Supplier<ResourceStore> classes;

    public RuntimeClassAdmission(Supplier<ResourceStore> classes) {
        this.classes = classes;
    }

    @Override
    public void mutate(Review review) {
        if (!isNewPod(review)) {
            return;
        }
        ObjectNode spec = (ObjectNode) review.object().get("spec");
        JsonNode runtimeClass = runtimeClass(review, spec);
        JsonNode overhead = runtimeClass.at("/overhead/podFixed");
        if (overhead.isObject()) {
            if (spec.hasNonNull("overhead") && !amounts(spec.get("overhead")).equals(amounts(overhead))) {
                throw refusal(review, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
            }
            spec.set("overhead", overhead.deepCopy());
        }
        select(review, spec, runtimeClass.at("/scheduling/nodeSelector"));
        JsonNode more = runtimeClass.at("/scheduling/tolerations");
        if (more.isArray()) {
            spec.set("tolerations", merged(spec.path("tolerations"), more));
        }
    }

    @Override
    public void validate(Review review) {
        if (!isNewPod(review)) {
            return;
        }
        ObjectNode spec = (ObjectNode) review.object().get("spec");
        JsonNode defined = runtimeClass(review, spec).at("/overhead/podFixed");
        JsonNode overhead = spec.path("overhead");
        if (!defined.isObject() && overhead.isObject()) {
            throw refusal(review, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
        }
        if (defined.isObject() && !amounts(defined).equals(amounts(overhead))) {
            throw refusal(review, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        }
    }

    private static boolean isNewPod(Review review) {
        return review.operation() == Operation.CREATE
                && review.type().groupResource().equals(PODS)
                && review.subresource().isEmpty();
    }

    private static ApiException refusal(Review review, String why) {
        return ApiException.forbidden(PODS, review.name(), why);
    }

    /** An empty one for a pod that names none. */
    private JsonNode runtimeClass(Review review, ObjectNode spec) {
        if (!spec.hasNonNull("runtimeClassName")) {
            return Json.object();
        }
        String name = spec.get("runtimeClassName").asText();
        CachedObject found = classes.get().find("", name);
        if (found == null) {
            throw refusal(review, "pod rejected: RuntimeClass \"" + name + "\" not found");
        }
        return ApiObject.ofJson(found.json()).tree();
    }

    private static Map<String, BigDecimal> amounts(JsonNode quantities) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        quantities
                .properties()
                .forEach(one -> Quantities.value(one.getValue().asText())
                        .ifPresent(value -> amounts.put(one.getKey(), value.stripTrailingZeros())));
        return amounts;
    }

    private static void select(Review review, ObjectNode spec, JsonNode selector) {
        for (Map.Entry<String, JsonNode> wanted : selector.properties()) {
            String key = wanted.getKey();
            String value = wanted.getValue().asText();
            JsonNode own = spec.path("nodeSelector").path(key);
            if (!own.isMissingNode() && !own.asText().equals(value)) {
                throw refusal(
                        review,
                        "conflict: runtimeClass.scheduling.nodeSelector[" + key + "] = " + value
                                + "; pod.spec.nodeSelector[" + key + "] = " + own.asText());
            }
            spec.withObjectProperty("nodeSelector").put(key, value);
        }
    }

    /** All of both, without those that another one covers. */
    private static ArrayNode merged(JsonNode first, JsonNode second) {
        List<JsonNode> all = new ArrayList<>();
        first.forEach(all::add);
        second.forEach(all::add);
        ArrayNode merged = Json.NODES.arrayNode();
        for (int i = 0; i < all.size(); i++) {
            JsonNode one = all.get(i);
            boolean covered = false;
            for (JsonNode kept : merged) {
                covered |= covers(kept, one);
            }
            for (JsonNode later : all.subList(i + 1, all.size())) {
                covered |= !later.equals(one) && covers(later, one);
            }
            if (!covered) {
                merged.add(one.deepCopy());
            }
        }
        return merged;
    }

    private static boolean covers(JsonNode wide, JsonNode narrow) {
        if (wide.equals(narrow)) {
            return true;
        }
        boolean exists = text(wide, "operator").equals("Exists");
        if (!text(narrow, "key").equals(text(wide, "key"))
                && !(text(wide, "key").isEmpty() && exists)) {
            return false;
        }
        if (!text(narrow, "effect").equals(text(wide, "effect"))
                && !text(wide, "effect").isEmpty()) {
            return false;
        }
        boolean limited = text(wide, "effect").equals("NoExecute") && wide.hasNonNull("tolerationSeconds");
        if (limited
                && (!narrow.hasNonNull("tolerationSeconds")
                        || narrow.get("tolerationSeconds").asLong()
                                > wide.get("tolerationSeconds").asLong())) {
            return false;
        }
        return exists
                || text(narrow, "operator").equals("Equal")
                        && text(narrow, "value").equals(text(wide, "value"));
    }

    private static String text(JsonNode toleration, String field) {
        return toleration.path(field).asText("");
    }
}
