package io.argosy.server.podspec;

import io.argosy.api.names.Names;
import io.argosy.api.quantity.Amount;
import io.argosy.server.validation.Spot;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/** What containers ask for and may use. */
public final class Amounts {
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final List<String> OF_PODS = List.of("cpu", "hugepages-", "memory");
    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> STANDARD = Set.of(
            "cpu",
            "memory",
            "ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage",
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "configmaps",
            "persistentvolumeclaims",
            "storage",
            "requests.storage",
            "services.nodeports",
            "services.loadbalancers");

    private Amounts() {}

    static void ofContainer(Spot resources) {
        check(resources, Amounts::containerResource);
    }

    static void ofPod(Spot resources) {
        check(resources, Amounts::podResource);
    }

    /** What a RuntimeClass adds to its pods, which follows the rules of a container's limits and is called so. */
    static void ofOverhead(Spot overhead, String path) {
        Spot amounts = overhead.called(path + ".limits");
        for (Spot amount : amounts.entries()) {
            String resource = name(amounts, amount);
            containerResource(resource, amount);
            value(resource, amount);
            wholePages(resource, amount);
        }
    }

    private interface NameRule {
        void check(String resource, Spot spot);
    }

    private static void check(Spot resources, NameRule names) {
        boolean hugePages = false;
        boolean plain = false;
        for (String list : List.of("limits", "requests")) {
            for (Spot amount : resources.at(list).entries()) {
                String resource = name(resources.at(list), amount);
                names.check(resource, amount);
                value(resource, amount);
                wholePages(resource, amount);
                hugePages |= resource.startsWith(HUGE_PAGES);
                plain |= resource.equals("cpu") || resource.equals("memory");
            }
        }
        for (Spot request : resources.at("requests").entries()) {
            compare(resources, name(resources.at("requests"), request), request);
        }
        if (hugePages && !plain) {
            resources.forbidden("HugePages require cpu or memory");
        }
    }

    private static void wholePages(String resource, Spot amount) {
        if (!resource.startsWith(HUGE_PAGES)) {
            return;
        }
        Amount value = Amount.parse(amount.text()).orElse(Amount.ZERO);
        BigDecimal page = Amount.parse(resource.substring(HUGE_PAGES.length()))
                .orElse(Amount.ZERO)
                .value();
        if (page.signum() <= 0 || value.value().remainder(page).signum() != 0) {
            amount.invalid(value.toString(), value + " is not positive integer multiple of " + resource);
        }
    }

    private static String name(Spot map, Spot entry) {
        return entry.path().substring(map.path().length() + 1, entry.path().length() - 1);
    }

    private static void compare(Spot resources, String resource, Spot request) {
        boolean exact = !mayBeOvercommitted(resource);
        Spot limit = resources.at("limits").key(resource);
        if (!limit.isGiven()) {
            if (exact) {
                resources.at("limits").required("Limit must be set for non overcommitable resources");
            }
            return;
        }
        Amount asked = Amount.parse(request.text()).orElse(Amount.ZERO);
        Amount most = Amount.parse(limit.text()).orElse(Amount.ZERO);
        if (exact && asked.compareTo(most) != 0) {
            resources
                    .at("requests")
                    .invalid(request.text(), "must be equal to " + resource + " limit of " + limit.text());
        } else if (asked.compareTo(most) > 0) {
            resources
                    .at("requests")
                    .invalid(request.text(), "must be less than or equal to " + resource + " limit of " + limit.text());
        }
    }

    /** An amount is not negative, and whole where it counts things. */
    public static void value(String resource, Spot amount) {
        Amount value = Amount.parse(amount.text()).orElse(Amount.ZERO);
        if (value.compareTo(Amount.ZERO) < 0) {
            amount.invalid(amount.text(), "must be greater than or equal to 0");
        }
        if ((isExtended(resource) || resource.equals("pods"))
                && value.value().stripTrailingZeros().scale() > 0) {
            amount.invalid(amount.text(), "must be an integer");
        }
    }

    public static boolean mayBeOvercommitted(String resource) {
        return !isExtended(resource) && !resource.startsWith(HUGE_PAGES);
    }

    public static boolean isExtended(String resource) {
        return resource.contains("/") && !resource.contains("kubernetes.io/");
    }

    /** A name that stands alone is one of those that are known. */
    public static boolean knownResource(String resource, Spot amount) {
        if (!qualified(resource, amount)) {
            return false;
        }
        boolean known = resource.contains("/")
                || STANDARD.contains(resource)
                || resource.startsWith(HUGE_PAGES)
                || resource.startsWith("requests." + HUGE_PAGES);
        if (!known) {
            amount.invalid(resource, "must be a standard resource type or fully qualified");
        }
        return true;
    }

    public static void containerResource(String resource, Spot amount) {
        if (knownResource(resource, amount)) {
            if (!resource.contains("/")) {
                if (!OF_CONTAINERS.contains(resource) && !resource.startsWith(HUGE_PAGES)) {
                    amount.invalid(resource, "must be a standard resource for containers");
                }
            } else if (isExtended(resource) && resource.startsWith("requests.")) {
                amount.invalid(resource, "doesn't follow extended resource name standard");
            }
        }
    }

    private static void podResource(String resource, Spot amount) {
        if (qualified(resource, amount)
                && OF_PODS.stream()
                        .noneMatch(
                                known -> known.endsWith("-") ? resource.startsWith(known) : resource.equals(known))) {
            amount.errors().notSupported(amount.path(), resource, OF_PODS);
        }
    }

    private static boolean qualified(String resource, Spot amount) {
        return Names.qualifiedNameError(resource)
                .map(error -> {
                    amount.invalid(resource, error);
                    return false;
                })
                .orElse(true);
    }
}
