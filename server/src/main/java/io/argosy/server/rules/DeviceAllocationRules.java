package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.podspec.Placement;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which devices a claim was given, and for whom: given once, and taken back as a whole. */
final class DeviceAllocationRules {
    private static final int MOST_USERS = 256;
    private static final int MOST_RESULTS = 32;
    private static final int MOST_CONFIGURATIONS = 64;

    private DeviceAllocationRules() {}

    static void change(Spot claim, JsonNode before) {
        Spot status = claim.at("status");
        users(claim, before);
        Spot allocation = status.at("allocation");
        Set<String> given = new HashSet<>();
        allocation.at("devices").each("results").forEach(result -> given.add(id(result)));
        List<Spot> devices = status.each("devices");
        for (Spot device : devices) {
            device(device);
            ConditionRules.check(device.at("conditions"));
            if (!given.contains(id(device))) {
                device.invalid(id(device), "must be an allocated device in the claim");
            }
        }
        DeviceNames.unique(devices, DeviceAllocationRules::id);
        if (allocation.isGiven() && before.hasNonNull("allocation")) {
            if (!allocation.value().equals(before.path("allocation"))) {
                allocation.invalid("field is immutable");
            }
        } else if (allocation.isGiven()) {
            allocation(allocation, DeviceClaimRules.names(claim.at("spec").at("devices")));
        }
    }

    private static String id(Spot device) {
        return device.text("driver") + "/" + device.text("pool") + "/" + device.text("device")
                + (device.has("shareID") ? "/" + device.text("shareID") : "");
    }

    private static void users(Spot claim, JsonNode before) {
        Spot users = claim.at("status").at("reservedFor");
        List<Spot> all = DeviceNames.limited(users, MOST_USERS);
        for (Spot user : all) {
            List.of("resource", "name", "uid").forEach(field -> user.at(field).needed());
        }
        DeviceNames.unique(all, user -> user.text("uid"));
        if (users.value().isEmpty()) {
            return;
        }
        if (!claim.at("status").has("allocation")) {
            users.forbidden("may not be specified when `allocated` is not set");
        } else if (claim.at("metadata").has("deletionTimestamp")) {
            Set<JsonNode> known = new HashSet<>();
            before.path("reservedFor").forEach(known::add);
            if (all.stream().anyMatch(user -> !known.contains(user.value()))) {
                users.forbidden(
                        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
            }
        }
    }

    private static void device(Spot device) {
        StorageNodeRules.driver(device.at("driver"));
        DeviceNames.pool(device.at("pool"));
        device.at("device").label();
    }

    private static void allocation(Spot allocation, Map<String, Set<String>> names) {
        for (Spot result : DeviceNames.limited(allocation.at("devices").at("results"), MOST_RESULTS)) {
            DeviceClaimRules.reference(result.at("request"), names);
            device(result);
        }
        for (Spot configuration : DeviceNames.limited(allocation.at("devices").at("config"), MOST_CONFIGURATIONS)) {
            configuration.at("source").neededOneOf(List.of("FromClaim", "FromClass"));
            DeviceClaimRules.references(configuration.at("requests"), names);
            DeviceClaimRules.configuration(configuration);
        }
        if (allocation.has("nodeSelector")) {
            Placement.nodeSelector(allocation.at("nodeSelector"));
        }
    }
}
