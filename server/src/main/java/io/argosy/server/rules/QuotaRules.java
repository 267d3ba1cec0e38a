package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import io.argosy.server.podspec.Amounts;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How much a namespace may have. */
public final class QuotaRules {
    private static final Set<String> COMPUTE =
            Set.of("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory");
    private static final Set<String> COUNTED = Set.of(
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "persistentvolumeclaims",
            "configmaps",
            "services.nodeports",
            "services.loadbalancers");
    private static final Set<String> STORED =
            Set.of("ephemeral-storage", "requests.storage", "requests.ephemeral-storage", "limits.ephemeral-storage");
    private static final Set<String> SCOPES = Set.of(
            "Terminating",
            "NotTerminating",
            "BestEffort",
            "NotBestEffort",
            "PriorityClass",
            "CrossNamespacePodAffinity",
            "VolumeAttributesClass");
    private static final Set<String> ONLY_THERE =
            Set.of("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity");

    private QuotaRules() {}

    public static void check(Spot quota) {
        Spot spec = quota.at("spec");
        List<String> resources = new ArrayList<>();
        for (Spot amount : spec.at("hard").entries()) {
            String resource =
                    amount.path().substring("spec.hard[".length(), amount.path().length() - 1);
            resources.add(resource);
            resource(resource, amount);
        }
        scopes(spec, resources);
        selector(spec.at("scopeSelector"), resources);
        status(quota.at("status").at("hard"));
        status(quota.at("status").at("used"));
    }

    /** What is told of how much there is. */
    private static void status(Spot amounts) {
        amounts.value().fieldNames().forEachRemaining(resource -> resource(resource, amounts.key(resource)));
    }

    /** What a quota counts stays what it was, in whatever order it is named. */
    public static void change(Spot quota, JsonNode before) {
        Spot scopes = quota.at("spec").at("scopes");
        Set<String> was = new HashSet<>();
        before.at("/spec/scopes").forEach(scope -> was.add(scope.asText()));
        Set<String> now = new HashSet<>();
        scopes.each().forEach(scope -> now.add(scope.text()));
        if (!now.equals(was)) {
            scopes.invalid(scopes.valueOrNull(), "field is immutable");
        }
    }

    private static void resource(String resource, Spot amount) {
        if (Amounts.knownResource(resource, amount) && !resource.contains("/") && !isStandard(resource)) {
            amount.invalid(resource, "must be a standard resource for quota");
        }
        Amount value = Amount.parse(amount.text()).orElse(Amount.ZERO);
        if (value.compareTo(Amount.ZERO) < 0) {
            amount.invalid(amount.text(), "must be greater than or equal to 0");
        }
        if ((COUNTED.contains(resource) || Amounts.isExtended(resource))
                && value.value().stripTrailingZeros().scale() > 0) {
            amount.invalid(amount.text(), "must be an integer");
        }
    }

    private static boolean isStandard(String resource) {
        return COMPUTE.contains(resource)
                || COUNTED.contains(resource)
                || STORED.contains(resource)
                || resource.startsWith("hugepages-")
                || resource.startsWith("requests.hugepages-");
    }

    private static boolean holdsFor(String scope, String resource) {
        return switch (scope) {
            case "BestEffort" -> resource.equals("pods");
            case "VolumeAttributesClass" ->
                resource.equals("persistentvolumeclaims") || resource.equals("requests.storage");
            default -> resource.equals("pods") || COMPUTE.contains(resource);
        };
    }

    private static void scopes(Spot spec, List<String> resources) {
        Spot scopes = spec.at("scopes");
        List<String> names = scopes.each().stream().map(Spot::text).toList();
        for (String scope : names) {
            if (!SCOPES.contains(scope)) {
                scopes.invalid("unsupported scope");
            }
            if (resources.stream().anyMatch(resource -> isStandard(resource) && !holdsFor(scope, resource))) {
                scopes.invalid("unsupported scope applied to resource");
            }
        }
        conflict(names, scopes);
    }

    private static void conflict(List<String> names, Spot scopes) {
        if (names.containsAll(List.of("BestEffort", "NotBestEffort"))
                || names.containsAll(List.of("Terminating", "NotTerminating"))) {
            scopes.invalid("conflicting scopes");
        }
    }

    private static void selector(Spot selector, List<String> resources) {
        Spot all = selector.at("matchExpressions");
        for (Spot one : all.each()) {
            String scope = one.text("scopeName");
            if (!SCOPES.contains(scope)) {
                all.at("scopeName").invalid(scope, "unsupported scope");
            }
            if (resources.stream().anyMatch(resource -> isStandard(resource) && !holdsFor(scope, resource))) {
                all.invalid("unsupported scope applied to resource");
            }
            operator(scope, one, all);
        }
        conflict(all.each().stream().map(one -> one.text("scopeName")).toList(), all);
    }

    private static void operator(String scope, Spot one, Spot all) {
        String operator = one.text("operator");
        if (ONLY_THERE.contains(scope) && !operator.equals("Exists")) {
            all.at("operator")
                    .invalid(
                            operator,
                            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
                                    + " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
                                    + " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
        }
        boolean some = !one.each("values").isEmpty();
        switch (operator) {
            case "In", "NotIn" -> {
                if (!some) {
                    all.at("values")
                            .required(
                                    "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (some) {
                    all.at("values")
                            .invalid(
                                    one.at("values").value(),
                                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
                }
            }
            default -> all.at("operator").invalid(operator, "not a valid selector operator");
        }
    }
}
