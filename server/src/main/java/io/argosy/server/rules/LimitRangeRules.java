package io.argosy.server.rules;

import io.argosy.api.quantity.Amount;
import io.argosy.server.podspec.Amounts;
import io.argosy.server.validation.Spot;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a pod, a container or a claim gets, and may have. */
public final class LimitRangeRules {
    private static final List<String> LISTS =
            List.of("max", "min", "default", "defaultRequest", "maxLimitRequestRatio");

    private LimitRangeRules() {}

    public static void check(Spot range) {
        Set<String> types = new HashSet<>();
        for (Spot limit : range.at("spec").each("limits")) {
            String type = limit.text("type");
            if (!types.add(type)) {
                limit.at("type").duplicate(type);
            }
            type(limit);
            Set<String> resources = resources(limit);
            resources.forEach(resource -> compare(limit, resource));
        }
    }

    private static void type(Spot limit) {
        Spot type = limit.at("type");
        type.qualifiedName();
        switch (type.text()) {
            case "Pod" -> {
                for (String list : List.of("default", "defaultRequest")) {
                    if (!limit.at(list).entries().isEmpty()) {
                        limit.at(list).forbidden("may not be specified when `type` is 'Pod'");
                    }
                }
            }
            case "PersistentVolumeClaim" -> {
                if (!limit.at("min").key("storage").isGiven()
                        && !limit.at("max").key("storage").isGiven()) {
                    limit.at("limits")
                            .required("either minimum or maximum storage value is required, but neither was provided");
                }
            }
            default -> {
                if (!type.text().equals("Container") && !type.text().contains("/")) {
                    type.invalid("must be a standard limit type or fully qualified");
                }
            }
        }
    }

    private static Set<String> resources(Spot limit) {
        boolean ofContainers = Set.of("Pod", "Container").contains(limit.text("type"));
        Set<String> names = new TreeSet<>();
        for (String list : LISTS) {
            for (Spot amount : limit.at(list).entries()) {
                String resource = amount.path()
                        .substring(
                                limit.at(list).path().length() + 1,
                                amount.path().length() - 1);
                names.add(resource);
                if (ofContainers) {
                    Amounts.containerResource(resource, amount);
                } else {
                    Amounts.knownResource(resource, amount);
                }
            }
        }
        return names;
    }

    private record Value(Spot spot, Amount amount) {
        boolean isMoreThan(Optional<Value> other) {
            return other.isPresent() && amount.compareTo(other.get().amount) > 0;
        }
    }

    private static Optional<Value> value(Spot limit, String list, String resource) {
        Spot spot = limit.at(list).key(resource);
        return spot.isGiven() ? Amount.parse(spot.text()).map(amount -> new Value(spot, amount)) : Optional.empty();
    }

    private static void compare(Spot limit, String resource) {
        boolean pod = limit.text("type").equals("Pod");
        Optional<Value> min = value(limit, "min", resource);
        Optional<Value> max = value(limit, "max", resource);
        Optional<Value> usual = pod ? Optional.empty() : value(limit, "default", resource);
        Optional<Value> request = pod ? Optional.empty() : value(limit, "defaultRequest", resource);
        ordered(min, max, min, "min value %s is greater than max value %s");
        ordered(min, request, request, "min value %s is greater than default request value %s");
        ordered(request, max, request, "default request value %s is greater than max value %s");
        ordered(request, usual, request, "default request value %s is greater than default limit value %s");
        ordered(min, usual, usual, "min value %s is greater than default value %s");
        ordered(usual, max, usual, "default value %s is greater than max value %s");
        value(limit, "maxLimitRequestRatio", resource).ifPresent(ratio -> ratio(ratio, min, max));
        boolean differ = usual.isPresent()
                && request.isPresent()
                && usual.get().amount().compareTo(request.get().amount()) != 0;
        if (differ && !Amounts.mayBeOvercommitted(resource)) {
            Spot spot = request.get().spot();
            spot.invalid(
                    spot.text(),
                    "default value " + usual.get().spot().text() + " must equal to defaultRequest value " + spot.text()
                            + " in " + resource);
        }
    }

    private static void ordered(Optional<Value> less, Optional<Value> more, Optional<Value> where, String complaint) {
        if (less.isPresent() && less.get().isMoreThan(more)) {
            Spot spot = where.orElseThrow().spot();
            spot.invalid(
                    spot.text(),
                    complaint.formatted(
                            less.get().spot().text(), more.orElseThrow().spot().text()));
        }
    }

    private static void ratio(Value ratio, Optional<Value> min, Optional<Value> max) {
        Spot spot = ratio.spot();
        if (ratio.amount().value().compareTo(BigDecimal.ONE) < 0) {
            spot.invalid(spot.text(), "ratio " + spot.text() + " is less than 1");
        }
        if (min.isPresent() && max.isPresent() && min.get().amount().compareTo(Amount.ZERO) > 0) {
            BigDecimal most =
                    max.get().amount().value().divide(min.get().amount().value(), MathContext.DECIMAL64);
            if (ratio.amount().value().compareTo(most) > 0) {
                spot.invalid(
                        spot.text(),
                        "ratio " + spot.text() + " is greater than max/min = "
                                + String.format("%f", most.doubleValue()));
            }
        }
    }
}
