package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;
import static io.argosy.server.kinds.Trees.showEmpty;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.NodeRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.AddressWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.List;
import java.util.function.Consumer;

/** Nodes: they register themselves, status and all. */
final class NodeStrategy implements Strategy {
    /** What a node tells of itself, or else says nothing of. */
    private static final List<String> INFO = List.of(
            "machineID",
            "systemUUID",
            "bootID",
            "kernelVersion",
            "osImage",
            "containerRuntimeVersion",
            "kubeletVersion",
            "kubeProxyVersion",
            "operatingSystem",
            "architecture");

    @Override
    public boolean keepsStatusOnCreate() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode node) {
        ranges(child(node, "spec"));
        ObjectNode status = child(node, "status");
        if (!status.hasNonNull("allocatable") && status.get("capacity") instanceof ObjectNode capacity) {
            status.set("allocatable", capacity.deepCopy());
        }
        setDefault(child(child(status, "daemonEndpoints"), "kubeletEndpoint"), "Port", 0);
        ObjectNode info = child(status, "nodeInfo");
        INFO.forEach(field -> setDefault(info, field, ""));
        objects(status, "conditions")
                .forEach(condition -> showEmpty(condition, "lastHeartbeatTime", "lastTransitionTime"));
    }

    /** The first range has a field of its own, and counts where the two do not agree. */
    private static void ranges(ObjectNode spec) {
        String first = spec.path("podCIDR").asText("");
        if (!first.isEmpty() && !first.equals(spec.path("podCIDRs").path(0).asText(""))) {
            spec.putArray("podCIDRs").add(first);
        }
        if (!spec.path("podCIDRs").isEmpty()) {
            spec.put("podCIDR", spec.path("podCIDRs").path(0).asText());
        }
    }

    @Override
    public void warn(ObjectNode node, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (subresource.equals("status")) {
            return;
        }
        Remarks remarks = new Remarks(warnings);
        Spot spec = remarks.at(node.path("spec"), "spec");
        if (spec.has("configSource")) {
            remarks.of(spec.at("configSource"), "the feature is removed");
        }
        if (!spec.text("externalID").isEmpty()) {
            remarks.of(spec.at("externalID"), "this field is deprecated, and is unused by Kubernetes");
        }
        spec.each("podCIDRs").forEach(range -> AddressWarnings.range(range, remarks));
    }

    @Override
    public void validateCreate(ObjectNode node, FieldErrors errors) {
        NodeRules.check(new Spot(node, "", errors));
    }

    @Override
    public void validateUpdate(ObjectNode node, ObjectNode before, String subresource, FieldErrors errors) {
        Spot changed = new Spot(node, "", errors);
        if (subresource.equals("status")) {
            NodeRules.status(changed);
        } else {
            NodeRules.check(changed);
        }
        NodeRules.change(changed, before);
    }
}
