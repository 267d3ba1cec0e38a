package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.PodAmounts;
import io.argosy.api.quota.Quota;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Gives containers the requests and limits that their namespace has ready, and refuses what its ranges do not allow. */
public final class LimitRanger implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final GroupResource CLAIMS = new GroupResource("", "persistentvolumeclaims");
    private static final String ANNOTATION = "kubernetes.io/limit-ranger";

    private final Supplier<ResourceStore> ranges;

    public LimitRanger(Supplier<ResourceStore> ranges) {
        this.ranges = ranges;
    }

    @Override
    public void mutate(Review review) {
        if (!isFilled(review)) {
            return;
        }
        List<JsonNode> items = items(review.namespace(), "Container");
        if (items.isEmpty()) {
            return;
        }
        Map<String, Amount> limits = new TreeMap<>();
        Map<String, Amount> requests = new TreeMap<>();
        for (JsonNode item : items) {
            Map<String, Amount> ownLimits = Quota.amounts(item.path("default"));
            Quota.amounts(item.path("max")).forEach(ownLimits::putIfAbsent);
            Map<String, Amount> ownRequests = Quota.amounts(item.path("defaultRequest"));
            ownLimits.forEach(ownRequests::putIfAbsent);
            Quota.amounts(item.path("min")).forEach(ownRequests::putIfAbsent);
            limits.putAll(ownLimits);
            requests.putAll(ownRequests);
        }
        List<String> told = new ArrayList<>();
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : review.object().path("spec").path(list)) {
                fill(
                        (ObjectNode) container,
                        list.equals("containers") ? "container" : "init container",
                        requests,
                        limits,
                        told);
            }
        }
        if (!told.isEmpty()) {
            ObjectNode metadata = Metadata.of(review.object()).node();
            ObjectNode annotations =
                    metadata.get("annotations") instanceof ObjectNode found ? found : metadata.putObject("annotations");
            annotations.put(ANNOTATION, "LimitRanger plugin set: " + String.join("; ", told));
        }
    }

    /** A container that names a limit alone requests as much. */
    private static void fill(
            ObjectNode container,
            String what,
            Map<String, Amount> requests,
            Map<String, Amount> limits,
            List<String> told) {
        Map<String, Amount> ownLimits = PodAmounts.resources(container, "limits");
        Map<String, Amount> ownRequests = PodAmounts.resources(container, "requests");
        List<String> newRequests = requests.keySet().stream()
                .filter(name -> !ownRequests.containsKey(name) && !ownLimits.containsKey(name))
                .toList();
        List<String> newLimits = limits.keySet().stream()
                .filter(name -> !ownLimits.containsKey(name))
                .toList();
        String name = container.path("name").asText();
        put(container, "requests", newRequests, requests);
        put(container, "limits", newLimits, limits);
        if (!newRequests.isEmpty()) {
            told.add(String.join(", ", newRequests) + " request for " + what + " " + name);
        }
        if (!newLimits.isEmpty()) {
            told.add(String.join(", ", newLimits) + " limit for " + what + " " + name);
        }
    }

    private static void put(ObjectNode container, String which, List<String> names, Map<String, Amount> amounts) {
        if (!names.isEmpty()) {
            ObjectNode resources = container.withObject("/resources").withObject("/" + which);
            names.forEach(name -> resources.put(name, amounts.get(name).toString()));
        }
    }

    @Override
    public void validate(Review review) {
        boolean pod = isFilled(review);
        boolean claim = review.type().groupResource().equals(CLAIMS)
                && review.subresource().isEmpty()
                && review.operation() != Operation.DELETE
                && !isGoing(review.before());
        if (!pod && !claim) {
            return;
        }
        for (CachedObject range : ranges.get().snapshot(review.namespace()).objects()) {
            Set<String> errors = new LinkedHashSet<>(); // what is wrong with two containers is said once
            for (JsonNode item : Json.decodeObject(range.json()).at("/spec/limits")) {
                if (pod) {
                    checkPod(item, review.object().path("spec"), errors);
                } else if (item.path("type").asText().equals("PersistentVolumeClaim")) {
                    Map<String, Amount> requests =
                            PodAmounts.resources(review.object().path("spec"), "requests");
                    check(item, requests, requests, errors);
                }
            }
            if (!errors.isEmpty()) {
                throw ApiException.forbidden(
                        review.type().groupResource(),
                        review.name(),
                        errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]");
            }
        }
    }

    private static void checkPod(JsonNode item, JsonNode spec, Set<String> errors) {
        switch (item.path("type").asText()) {
            case "Container" -> {
                for (String list : List.of("containers", "initContainers")) {
                    for (JsonNode container : spec.path(list)) {
                        check(
                                item,
                                PodAmounts.resources(container, "requests"),
                                PodAmounts.resources(container, "limits"),
                                errors);
                    }
                }
            }
            case "Pod" -> {
                ObjectNode own = ((ObjectNode) spec).objectNode().setAll((ObjectNode) spec);
                own.remove("overhead"); // is not what the user asks for
                check(item, PodAmounts.of(own, "requests"), PodAmounts.of(own, "limits"), errors);
            }
            default -> {}
        }
    }

    /** A pod that is made, or gets other resources. */
    private static boolean isFilled(Review review) {
        if (!review.type().groupResource().equals(PODS)) {
            return false;
        }
        return switch (review.operation()) {
            case CREATE -> review.subresource().isEmpty();
            case UPDATE -> review.subresource().equals("resize") && !isGoing(review.before());
            case DELETE, CONNECT -> false;
        };
    }

    private static boolean isGoing(JsonNode before) {
        return before != null && before.path("metadata").hasNonNull("deletionTimestamp");
    }

    private List<JsonNode> items(String namespace, String type) {
        List<JsonNode> items = new ArrayList<>();
        for (CachedObject range : ranges.get().snapshot(namespace).objects()) {
            for (JsonNode item : Json.decodeObject(range.json()).at("/spec/limits")) {
                if (item.path("type").asText().equals(type)) {
                    items.add(item);
                }
            }
        }
        return items;
    }

    private static void check(
            JsonNode item, Map<String, Amount> requests, Map<String, Amount> limits, Set<String> errors) {
        String type = item.path("type").asText();
        boolean claim = type.equals("PersistentVolumeClaim");
        Quota.amounts(item.path("min")).forEach((name, min) -> {
            String text = "minimum " + name + " usage per " + type + " is " + min;
            if (!requests.containsKey(name)) {
                errors.add(text + ".  No request is specified");
            } else if (requests.get(name).compareTo(min) < 0) {
                errors.add(text + ", but request is " + requests.get(name));
            } else if (limits.containsKey(name) && limits.get(name).compareTo(min) < 0) {
                errors.add(text + ", but limit is " + limits.get(name));
            }
        });
        Quota.amounts(item.path("max")).forEach((name, max) -> {
            String text = "maximum " + name + " usage per " + type + " is " + max;
            if (!limits.containsKey(name)) {
                errors.add(text + (claim ? ".  No request is specified" : ".  No limit is specified"));
            } else if (limits.get(name).compareTo(max) > 0) {
                errors.add(text + ", but " + (claim ? "request" : "limit") + " is " + limits.get(name));
            } else if (requests.containsKey(name) && requests.get(name).compareTo(max) > 0) {
                errors.add(text + ", but request is " + requests.get(name));
            }
        });
        Quota.amounts(item.path("maxLimitRequestRatio")).forEach((name, ratio) -> {
            String text = name + " max limit to request ratio per " + type + " is " + ratio;
            Amount request = requests.getOrDefault(name, Amount.ZERO);
            Amount limit = limits.getOrDefault(name, Amount.ZERO);
            if (!request.isPositive()) {
                errors.add(text + ", but no request is specified or request is 0");
            } else if (!limit.isPositive()) {
                errors.add(text + ", but no limit is specified or limit is 0");
            } else {
                double provided = limit.value().doubleValue() / request.value().doubleValue();
                if (provided > ratio.value().doubleValue()) {
                    errors.add(
                            text + ", but provided ratio is " + String.format(java.util.Locale.ROOT, "%f", provided));
                }
            }
        });
    }
}
