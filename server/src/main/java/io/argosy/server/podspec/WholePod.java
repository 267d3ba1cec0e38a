package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.PodAmounts;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;

/** What a pod asks for as a whole is enough for what its containers ask for. */
final class WholePod {
    private WholePod() {}

    static void check(Spot spec) {
        Spot resources = spec.at("resources");
        if (!resources.isGiven()) {
            return;
        }
        if (spec.at("os").text("name").equals("windows")) {
            resources.forbidden("may not be set for a windows pod");
            return;
        }
        if (resources.has("claims")) {
            resources.at("claims").forbidden("claims may not be set for Resources at pod-level");
        }
        Amounts.ofPod(resources);
        enough(resources.at("requests"), ofContainers(spec, "requests"), "requests");
        Map<String, Amount> limits = ofContainers(spec, "limits");
        limits.keySet().removeIf(resource -> !resource.startsWith("hugepages-"));
        enough(resources.at("limits"), limits, "limits");
        for (Spot container : spec.each("containers")) {
            within(container, resources);
        }
    }

    private static void enough(Spot amounts, Map<String, Amount> together, String what) {
        together.forEach((resource, amount) -> {
            Spot given = amounts.key(resource);
            if (given.isGiven() && amount.compareTo(amount(given)) > 0) {
                given.invalid(
                        given.text(), "must be greater than or equal to aggregate container " + what + " of " + amount);
            }
        });
    }

    /** The place is called as upstream calls it. */
    private static void within(Spot container, Spot resources) {
        String index = container.path().substring(container.path().lastIndexOf('['));
        container.at("resources").at("limits").value().properties().forEach(limit -> {
            Spot most = resources.at("limits").key(limit.getKey());
            Spot given = new Spot(
                    limit.getValue(),
                    resources.path() + ".containers" + index + "[" + limit.getKey() + "].limits",
                    resources.errors());
            if (most.isGiven() && amount(given).compareTo(amount(most)) > 0) {
                given.invalid(given.text(), "must be less than or equal to pod limits of " + most.text());
            }
        });
    }

    private static Amount amount(Spot amount) {
        return Amount.parse(amount.text()).orElse(Amount.ZERO);
    }

    private static Map<String, Amount> ofContainers(Spot spec, String which) {
        ObjectNode containers = Json.object();
        for (String list : List.of("containers", "initContainers")) {
            containers.set(list, spec.at(list).isGiven() ? spec.at(list).value() : containers.arrayNode());
        }
        return PodAmounts.of(containers, which);
    }
}
