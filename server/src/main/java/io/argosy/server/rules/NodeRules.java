package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.podspec.Amounts;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a node may say of itself, and what of that it says once. */
public final class NodeRules {
    private NodeRules() {}

    public static void check(Spot node) {
        taints(node.at("spec").at("taints").called("metadata.taints")); // upstream's path
        amounts(node.at("status"));
        ranges(node.at("spec").at("podCIDRs"));
    }

    private static void taints(Spot taints) {
        Set<String> known = new HashSet<>();
        for (Spot taint : taints.each()) {
            taint.at("key").qualifiedName();
            taint.at("value").labelValue();
            taint.at("effect").neededOneOf(List.of("NoSchedule", "PreferNoSchedule", "NoExecute"));
            if (!known.add(taint.text("effect") + " " + taint.text("key"))) {
                taint.errors().duplicate(taint.path(), shown(taint), "taints must be unique by key and effect pair");
            }
        }
    }

    /** As upstream shows a taint. */
    private static JsonNode shown(Spot taint) {
        return Json.object()
                .put("Key", taint.text("key"))
                .put("Value", taint.text("value"))
                .put("Effect", taint.text("effect"))
                .set("TimeAdded", taint.has("timeAdded") ? taint.at("timeAdded").value() : null);
    }

    private static void amounts(Spot status) {
        for (String list : List.of("capacity", "allocatable")) {
            Spot amounts = status.at(list);
            amounts.value().fieldNames().forEachRemaining(resource -> Amounts.value(resource, amounts.at(resource)));
        }
    }

    private static void ranges(Spot ranges) {
        Set<Boolean> families = new HashSet<>();
        boolean readable = true;
        for (Spot range : ranges.each()) {
            range.range();
            readable &= Spot.isRange(range.text());
            families.add(range.text().contains(":"));
        }
        if (readable && families.size() < ranges.value().size()) {
            ranges.invalid("may specify no more than one CIDR for each IP family");
        }
    }

    /** Also of a change of the status alone. */
    public static void change(Spot node, JsonNode before) {
        Set<JsonNode> known = new HashSet<>();
        for (Spot address : node.at("status").each("addresses")) {
            if (!known.add(address.value())) {
                address.duplicate(
                        Json.object().put("Type", address.text("type")).put("Address", address.text("address")));
            }
        }
        Spot ranges = node.at("spec").at("podCIDRs");
        JsonNode were = before.path("spec").path("podCIDRs");
        if (!were.isEmpty() && !were.equals(ranges.value())) {
            ranges.forbidden("node updates may not change podCIDR except from \"\" to valid");
        }
        Spot provider = node.at("spec").at("providerID");
        String was = before.path("spec").path("providerID").asText("");
        if (!was.isEmpty() && !was.equals(provider.text())) {
            provider.forbidden("node updates may not change providerID except from \"\" to valid");
        }
        Spot external = node.at("spec").at("externalID");
        if (!external.text().equals(before.path("spec").path("externalID").asText(""))) {
            external.forbidden("may not be updated");
        }
    }

    /** The status alone. */
    public static void status(Spot node) {
        amounts(node.at("status"));
    }
}
