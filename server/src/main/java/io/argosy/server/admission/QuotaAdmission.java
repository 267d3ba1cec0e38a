package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.PodAmounts;
import io.argosy.api.quota.Quota;
import io.argosy.api.quota.Usage;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Refuses what would exceed a namespace's quotas, and charges them with what is let in. It is asked last. */
public final class QuotaAdmission implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final Set<String> GROWING = Set.of("services", "persistentvolumeclaims");
    private static final Set<String> OF_CONTAINERS =
            Set.of("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory");

    private final Supplier<ResourceStore> quotas;

    public QuotaAdmission(Supplier<ResourceStore> quotas) {
        this.quotas = quotas;
    }

    @Override
    public void validate(Review review) {
        if (!isCharged(review)) {
            return;
        }
        List<ObjectNode> covering = covering(review);
        if (covering.isEmpty()) {
            return;
        }
        Map<String, Amount> change = change(review);
        for (ObjectNode quota : covering) {
            check(review, quota, change);
        }
        if (review.options().dryRun()) {
            return;
        }
        WriteOptions writing = new WriteOptions(
                review.options().user(),
                false,
                warning -> {},
                new WriteOptions.Writer("kube-apiserver", "v1", false, false));
        for (ObjectNode quota : covering) {
            if (Quota.amounts(quota.at("/status/hard")).keySet().stream().anyMatch(change::containsKey)) {
                quotas.get()
                        .update(
                                review.namespace(),
                                Metadata.of(quota).name(),
                                "status",
                                current -> charge(review, current, change),
                                writing);
            }
        }
    }

    private static boolean isCharged(Review review) {
        if (!review.type().namespaced()) {
            return false;
        }
        GroupResource resource = review.type().groupResource();
        return switch (review.operation()) {
            case CREATE -> review.subresource().isEmpty();
            case UPDATE ->
                resource.group().isEmpty()
                        && (review.subresource().isEmpty()
                                ? GROWING.contains(resource.resource())
                                : resource.equals(PODS) && review.subresource().equals("resize"));
            case DELETE, CONNECT -> false;
        };
    }

    private List<ObjectNode> covering(Review review) {
        List<ObjectNode> covering = new ArrayList<>();
        for (CachedObject candidate : quotas.get().snapshot(review.namespace()).objects()) {
            ObjectNode quota = Json.decodeObject(candidate.json());
            if (Quota.covers(quota.path("spec"), review.type().groupResource(), review.object())) {
                covering.add(quota);
            }
        }
        return covering;
    }

    /** What is used in addition; nothing where it becomes less, for that is counted later. */
    private static Map<String, Amount> change(Review review) {
        GroupResource resource = review.type().groupResource();
        Map<String, Amount> change = new TreeMap<>(Usage.of(resource, review.object()));
        if (review.operation() == Operation.UPDATE) {
            Map<String, Amount> before = Usage.of(resource, review.before());
            change.replaceAll((name, amount) -> amount.minus(before.getOrDefault(name, Amount.ZERO)));
            change.values().removeIf(amount -> !amount.isPositive());
        }
        return change;
    }

    private static void check(Review review, ObjectNode quota, Map<String, Amount> change) {
        String name = Metadata.of(quota).name();
        Map<String, Amount> limits = Quota.amounts(quota.at("/spec/hard"));
        if (review.operation() == Operation.CREATE
                && review.type().groupResource().equals(PODS)) {
            String missing = unspecified(limits.keySet(), review.object().path("spec"));
            if (!missing.isEmpty()) {
                throw refused(review, "failed quota: " + name + ": must specify " + missing);
            }
        }
        Map<String, Amount> used = Quota.amounts(quota.at("/status/used"));
        List<String> unknown = limits.keySet().stream()
                .filter(limited -> change.containsKey(limited) && !used.containsKey(limited))
                .toList();
        if (!unknown.isEmpty()) {
            throw refused(review, "status unknown for quota: " + name + ", resources: " + String.join(",", unknown));
        }
        refuseExcess(review, quota, change);
    }

    private static void refuseExcess(Review review, ObjectNode quota, Map<String, Amount> change) {
        Map<String, Amount> hard = Quota.amounts(quota.at("/status/hard"));
        Map<String, Amount> used = Quota.amounts(quota.at("/status/used"));
        Map<String, Amount> requested = new TreeMap<>();
        hard.forEach((limited, limit) -> {
            Amount more = change.get(limited);
            if (more != null
                    && used.getOrDefault(limited, Amount.ZERO).plus(more).compareTo(limit) > 0) {
                requested.put(limited, more);
            }
        });
        if (!requested.isEmpty()) {
            throw refused(
                    review,
                    "exceeded quota: " + Metadata.of(quota).name() + ", requested: " + written(requested, requested)
                            + ", used: " + written(used, requested) + ", limited: " + written(hard, requested));
        }
    }

    private static ObjectNode charge(Review review, ObjectNode quota, Map<String, Amount> change) {
        refuseExcess(review, quota, change);
        Map<String, Amount> hard = Quota.amounts(quota.at("/status/hard"));
        Map<String, Amount> after = Quota.charged(hard, Quota.amounts(quota.at("/status/used")), change);
        ObjectNode used = ((ObjectNode) quota.path("status")).putObject("used");
        after.forEach((name, amount) -> used.put(name, amount.toString()));
        return quota;
    }

    /** Where a quota limits what containers ask for, every container has to say it. */
    private static String unspecified(Set<String> limited, JsonNode spec) {
        Map<String, List<String>> missing = new TreeMap<>();
        for (String name : limited) {
            if (!OF_CONTAINERS.contains(name)) {
                continue;
            }
            String which = name.startsWith("limits.") ? "limits" : "requests";
            String resource = name.substring(name.indexOf('.') + 1);
            if (PodAmounts.resources(spec, which).containsKey(resource)) {
                continue;
            }
            for (String list : List.of("containers", "initContainers")) {
                for (JsonNode container : spec.path(list)) {
                    if (!PodAmounts.resources(container, which).containsKey(resource)) {
                        missing.computeIfAbsent(name, key -> new ArrayList<>())
                                .add(container.path("name").asText());
                    }
                }
            }
        }
        List<String> texts = new ArrayList<>();
        missing.forEach((name, containers) -> texts.add(name + " for: " + String.join(",", containers)));
        return String.join("; ", texts);
    }

    private static String written(Map<String, Amount> amounts, Map<String, Amount> names) {
        List<String> texts = new ArrayList<>();
        names.keySet().forEach(name -> texts.add(name + "=" + amounts.getOrDefault(name, Amount.ZERO)));
        return String.join(",", texts);
    }

    private static ApiException refused(Review review, String why) {
        return ApiException.forbidden(review.type().groupResource(), review.name(), why);
    }
}
