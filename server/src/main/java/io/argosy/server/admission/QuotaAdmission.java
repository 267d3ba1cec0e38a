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
import io.argosy.api.time.Clock;
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
import java.util.TreeSet;
import java.util.function.Supplier;

/** Refuses what would exceed a namespace's quotas, and charges them with what is let in. It is asked last. */
public final class QuotaAdmission implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final GroupResource CLAIMS = new GroupResource("", "persistentvolumeclaims");
    private static final Set<GroupResource> GROWING = Set.of(new GroupResource("", "services"), CLAIMS);
    private static final Set<GroupResource> FREE =
            Set.of(new GroupResource("", "events"), new GroupResource("events.k8s.io", "events"));
    private static final Set<String> OF_CONTAINERS =
            Set.of("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory");

    private final Supplier<ResourceStore> quotas;
    private final Clock clock;

    public QuotaAdmission(Supplier<ResourceStore> quotas, Clock clock) {
        this.quotas = quotas;
        this.clock = clock;
    }

    /** A quota and what it is to be charged with. */
    private record Charge(ObjectNode quota, Map<String, Amount> change) {
        String name() {
            return Metadata.of(quota).name();
        }

        Map<String, Amount> hard() {
            return Quota.amounts(quota.at("/status/hard"));
        }
    }

    @Override
    public void validate(Review review) {
        if (!isCharged(review)) {
            return;
        }
        List<Charge> charges = charges(review);
        if (charges.isEmpty()) {
            return;
        }
        charges.forEach(charge -> check(review, charge));
        if (review.options().dryRun()) {
            return;
        }
        WriteOptions writing = new WriteOptions(
                review.options().user(),
                false,
                warning -> {},
                new WriteOptions.Writer("kube-apiserver", "v1", false, false));
        for (Charge charge : charges) {
            if (charge.hard().keySet().stream().anyMatch(charge.change()::containsKey)) {
                quotas.get()
                        .update(
                                review.namespace(),
                                charge.name(),
                                "status",
                                current -> charge(review, current, charge.change()),
                                writing);
            }
        }
    }

    private static boolean isCharged(Review review) {
        GroupResource resource = review.type().groupResource();
        if (!review.type().namespaced() || FREE.contains(resource)) {
            return false;
        }
        return switch (review.operation()) {
            case CREATE -> review.subresource().isEmpty();
            case UPDATE ->
                switch (review.subresource()) {
                    case "" -> GROWING.contains(resource) || (resource.equals(PODS) && changesItsScope(review));
                    case "resize" -> resource.equals(PODS);
                    case "status" -> resource.equals(CLAIMS) && hasGrown(review.object(), review.before());
                    default -> false;
                };
            case DELETE, CONNECT -> false;
        };
    }

    private static boolean changesItsScope(Review review) {
        return Quota.isTerminating(review.object()) != Quota.isTerminating(review.before());
    }

    private static boolean hasGrown(JsonNode claim, JsonNode before) {
        return !claim.at("/status/allocatedResources/storage").equals(before.at("/status/allocatedResources/storage"))
                || !Quota.volumeAttributesClasses(claim).equals(Quota.volumeAttributesClasses(before));
    }

    /** The quotas that are for this object; one whose limits have not been taken note of yet is for none. */
    private List<Charge> charges(Review review) {
        List<Charge> charges = new ArrayList<>();
        GroupResource resource = review.type().groupResource();
        for (CachedObject candidate : quotas.get().snapshot(review.namespace()).objects()) {
            ObjectNode quota = Json.decodeObject(candidate.json());
            boolean limits = !limited(quota, resource).isEmpty();
            if (limits && Quota.covers(quota.path("spec"), resource, review.object())) {
                charges.add(new Charge(quota, change(review, quota)));
            }
        }
        return charges;
    }

    private static List<String> limited(ObjectNode quota, GroupResource resource) {
        List<String> names = new ArrayList<>();
        quota.at("/status/hard").fieldNames().forEachRemaining(name -> {
            if (Usage.source(name).equals(resource)) {
                names.add(name);
            }
        });
        names.sort(null);
        return names;
    }

    /** What is used in addition, of a quota that the object may not have been for; nothing where it becomes less, for that is counted later. */
    private Map<String, Amount> change(Review review, ObjectNode quota) {
        GroupResource resource = review.type().groupResource();
        Map<String, Amount> change = new TreeMap<>(Usage.of(resource, review.object(), clock.now()));
        if (review.operation() == Operation.UPDATE && Quota.covers(quota.path("spec"), resource, review.before())) {
            Map<String, Amount> before = Usage.of(resource, review.before(), clock.now());
            change.replaceAll((name, amount) -> amount.minus(before.getOrDefault(name, Amount.ZERO)));
        }
        change.values().removeIf(amount -> !amount.isPositive());
        return change;
    }

    private static void check(Review review, Charge charge) {
        List<String> limited = limited(charge.quota(), review.type().groupResource());
        if (review.type().groupResource().equals(PODS)) {
            String missing = unspecified(limited, review.object().path("spec"));
            if (!missing.isEmpty()) {
                throw refused(review, "failed quota: " + charge.name() + ": must specify " + missing);
            }
        }
        if (!Quota.amounts(charge.quota().at("/status/used")).keySet().containsAll(limited)) {
            throw refused(
                    review, "status unknown for quota: " + charge.name() + ", resources: " + String.join(",", limited));
        }
        refuseExcess(review, charge.quota(), charge.change());
    }

    private static void refuseExcess(Review review, ObjectNode quota, Map<String, Amount> change) {
        if (review.subresource().equals("status")) {
            return; // what has happened already is counted, not refused
        }
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

    /** Where a quota limits what containers ask for, every container has to say it, unless the pod does for all. */
    private static String unspecified(List<String> limited, JsonNode spec) {
        if (PodAmounts.isAskingAsAWhole(spec)) {
            return "";
        }
        Map<String, Set<String>> missing = new TreeMap<>();
        for (String name : limited) {
            if (!OF_CONTAINERS.contains(name)) {
                continue;
            }
            String which = name.startsWith("limits.") ? "limits" : "requests";
            String resource = name.substring(name.indexOf('.') + 1);
            for (String list : List.of("containers", "initContainers")) {
                for (JsonNode container : spec.path(list)) {
                    if (!PodAmounts.resources(container, which).containsKey(resource)) {
                        missing.computeIfAbsent(name, key -> new TreeSet<>())
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
