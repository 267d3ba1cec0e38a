package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What may be reported of a pod. */
final class PodStatusRules {
    private static final Set<String> SYSTEM_CONDITIONS = Set.of("PodScheduled", "Ready", "Initialized");

    private PodStatusRules() {}

    static void check(Spot pod, JsonNode before) {
        Spot status = pod.at("status");
        JsonNode was = before.path("status");
        for (Spot condition : status.each("conditions")) {
            observed(condition);
            if (!SYSTEM_CONDITIONS.contains(condition.text("type"))) {
                condition.at("type").called(condition.path() + ".Type").qualifiedName();
            }
        }
        observed(status);
        nomination(status, was, before.path("spec").path("nodeName").asText(""));
        if (!status.text("qosClass").equals(was.path("qosClass").asText(""))) {
            status.at("qosClass").invalid("field is immutable");
        }
        states(status, was, "containerStatuses", before.path("spec"), "containers");
        states(status, was, "initContainerStatuses", before.path("spec"), "initContainers");
        states(status, was, "ephemeralContainerStatuses", before.path("spec"), "");
        claims(status.each("resourceClaimStatuses"), before.path("spec").path("resourceClaims"));
        addresses(status, was, "podIPs");
        if (status.has("hostIPs")) {
            Spot first = status.each("hostIPs").isEmpty()
                    ? null
                    : status.each("hostIPs").getFirst();
            if (first != null && !first.text("ip").equals(status.text("hostIP"))) {
                first.at("ip").invalid("must be equal to `hostIP`");
            }
            addresses(status, was, "hostIPs");
        }
    }

    private static void claims(List<Spot> statuses, JsonNode claims) {
        Set<String> claimed = new HashSet<>();
        claims.forEach(claim -> claimed.add(claim.path("name").asText()));
        Set<String> known = new HashSet<>();
        for (Spot status : statuses) {
            Spot name = status.at("name");
            if (!claimed.contains(name.text())) {
                name.invalid(name.text(), "must match the name of an entry in `spec.resourceClaims`");
            }
            if (!known.add(name.text())) {
                name.duplicate(name.text());
            }
            if (status.has("resourceClaimName")) {
                status.at("resourceClaimName").called(name.path()).subdomain();
            }
        }
    }

    private static void observed(Spot of) {
        if (of.at("observedGeneration").number() < 0) {
            of.at("observedGeneration").invalid("must be a non-negative integer");
        }
    }

    private static void nomination(Spot status, JsonNode was, String boundTo) {
        Spot nominated = status.at("nominatedNodeName");
        if (nominated.text().isEmpty()
                || nominated.text().equals(was.path("nominatedNodeName").asText(""))) {
            return;
        }
        Names.subdomainError(nominated.text()).ifPresent(nominated::invalid);
        if (!boundTo.isEmpty()) {
            nominated.forbidden("may not be set on pods that are already bound to a node");
        }
    }

    /** A container that has ended for good does not begin again. */
    private static void states(Spot status, JsonNode was, String list, JsonNode spec, String containers) {
        int index = 0;
        for (JsonNode old : was.path(list)) {
            JsonNode ended = old.path("state").path("terminated");
            String name = old.path("name").asText();
            if (ended.isObject()
                    && !mayRestart(
                            spec, containers, name, ended.path("exitCode").asInt())) {
                for (Spot now : status.each(list)) {
                    if (now.text("name").equals(name) && !now.at("state").has("terminated")) {
                        Spot place = status.at(list);
                        place.errors()
                                .forbidden(
                                        place.path() + "[" + index + "].state",
                                        "may not be transitioned to non-terminated state");
                        break;
                    }
                }
            }
            index++;
        }
    }

    private static boolean mayRestart(JsonNode spec, String containers, String name, int exitCode) {
        for (JsonNode container : spec.path(containers)) {
            if (container.path("name").asText().equals(name)) {
                String own = container.path("restartPolicy").asText("");
                boolean ruled = !own.isEmpty() && hasRule(container.path("restartPolicyRules"), exitCode);
                return ruled
                        || restarts(own.isEmpty() ? spec.path("restartPolicy").asText("Always") : own, exitCode);
            }
        }
        return false;
    }

    private static boolean restarts(String policy, int exitCode) {
        return switch (policy) {
            case "Never" -> false;
            case "OnFailure" -> exitCode != 0;
            default -> true;
        };
    }

    /** Whether the first rule that fits the exit says to restart. */
    private static boolean hasRule(JsonNode rules, int exitCode) {
        for (JsonNode rule : rules) {
            boolean in = false;
            for (JsonNode value : rule.path("exitCodes").path("values")) {
                in |= value.asInt() == exitCode;
            }
            if (rule.path("exitCodes").path("operator").asText().equals("In") == in) {
                return rule.path("action").asText().equals("Restart");
            }
        }
        return false;
    }

    /** One of each family at most; what was there before need not be good. */
    private static void addresses(Spot status, JsonNode was, String list) {
        List<Spot> addresses = status.each(list);
        Set<String> known = new HashSet<>();
        was.path(list).forEach(old -> known.add(old.path("ip").asText()));
        int sixes = 0;
        for (Spot address : addresses) {
            if (!known.contains(address.text("ip"))) {
                address.at("ip").called(address.path()).address();
            }
            sixes += address.text("ip").contains(":") ? 1 : 0;
        }
        if (addresses.size() > 2 || (addresses.size() == 2 && sixes != 1)) {
            status.at(list).invalid("may specify no more than one IP for each IP family");
        }
    }
}
