package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.replaceZero;
import static io.argosy.server.kinds.Trees.setDefault;
import static io.argosy.server.kinds.Trees.showEmpty;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The defaults of kinds that have only a few. */
final class SmallDefaults {
    private SmallDefaults() {}

    static void persistentVolume(ObjectNode volume) {
        ObjectNode spec = child(volume, "spec");
        setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
        setDefault(spec, "volumeMode", "Filesystem");
        DiskDefaults.fill(spec);
        setDefault(child(volume, "status"), "phase", "Pending");
    }

    static void persistentVolumeClaim(ObjectNode claim) {
        setDefault(child(claim, "spec"), "volumeMode", "Filesystem");
        setDefault(child(claim, "status"), "phase", "Pending");
        objects(claim.path("status"), "conditions")
                .forEach(condition -> showEmpty(condition, "lastProbeTime", "lastTransitionTime"));
    }

    static void storageClass(ObjectNode storageClass) {
        setDefault(storageClass, "reclaimPolicy", "Delete");
        setDefault(storageClass, "volumeBindingMode", "Immediate");
    }

    static void endpoints(ObjectNode endpoints) {
        for (ObjectNode subset : objects(endpoints, "subsets")) {
            objects(subset, "ports").forEach(port -> setDefault(port, "protocol", "TCP"));
        }
    }

    static void endpointSlice(ObjectNode slice) {
        objects(slice, "endpoints").forEach(endpoint -> child(endpoint, "conditions"));
        for (ObjectNode port : objects(slice, "ports")) {
            if (!port.has("name")) {
                port.put("name", "");
            }
            setDefault(port, "protocol", "TCP");
        }
    }

    static void roleBinding(ObjectNode binding) {
        setDefault(child(binding, "roleRef"), "apiGroup", "rbac.authorization.k8s.io");
        for (ObjectNode subject : objects(binding, "subjects")) {
            if (!subject.path("kind").asText().equals("ServiceAccount")) {
                setDefault(subject, "apiGroup", "rbac.authorization.k8s.io");
            }
        }
    }

    static void networkPolicy(ObjectNode policy) {
        ObjectNode spec = child(policy, "spec");
        child(spec, "podSelector");
        for (String direction : List.of("ingress", "egress")) {
            for (ObjectNode rule : objects(spec, direction)) {
                objects(rule, "ports").forEach(port -> setDefault(port, "protocol", "TCP"));
            }
        }
        if (spec.path("policyTypes").isEmpty()) {
            var types = spec.putArray("policyTypes").add("Ingress");
            if (!spec.path("egress").isEmpty()) {
                types.add("Egress");
            }
        }
    }

    static void ingressClass(ObjectNode ingressClass) {
        if (existing(child(ingressClass, "spec"), "parameters") instanceof ObjectNode parameters) {
            setDefault(parameters, "scope", "Cluster");
        }
    }

    static void priorityClass(ObjectNode priorityClass) {
        setDefault(priorityClass, "preemptionPolicy", "PreemptLowerPriority");
    }

    static void podTemplate(ObjectNode podTemplate) {
        PodDefaults.template(child(podTemplate, "template"));
    }

    static void event(ObjectNode event) {
        for (String reporter : List.of("reportingComponent", "reportingInstance")) {
            if (!event.has(reporter)) {
                event.put(reporter, "");
            }
        }
        showEmpty(event, "eventTime", "firstTimestamp", "lastTimestamp");
        child(event, "involvedObject");
        child(event, "source");
    }

    /** What a container may have at most is its limit if none is set, and its limit is its request. */
    static void limitRange(ObjectNode range) {
        for (ObjectNode item : objects(child(range, "spec"), "limits")) {
            if (item.path("type").asText().equals("Container")) {
                fill(item, "default", item.path("max"));
                fill(item, "defaultRequest", item.path("default"));
                fill(item, "defaultRequest", item.path("min"));
            }
        }
    }

    private static void fill(ObjectNode item, String amounts, JsonNode from) {
        from.properties().forEach(amount -> {
            ObjectNode known = child(item, amounts);
            if (!known.has(amount.getKey())) {
                known.set(amount.getKey(), amount.getValue());
            }
        });
    }

    static void deviceClaim(ObjectNode claim) {
        deviceRequests(child(claim, "spec"));
    }

    static void deviceClaimTemplate(ObjectNode template) {
        deviceRequests(child(child(template, "spec"), "spec"));
    }

    private static void deviceRequests(ObjectNode spec) {
        for (ObjectNode request : objects(spec.path("devices"), "requests")) {
            if (existing(request, "exactly") instanceof ObjectNode exactly) {
                deviceCount(exactly);
            }
            objects(request, "firstAvailable").forEach(SmallDefaults::deviceCount);
        }
    }

    private static void deviceCount(ObjectNode request) {
        setDefault(request, "allocationMode", "ExactCount");
        if (request.path("allocationMode").asText().equals("ExactCount")) {
            replaceZero(request, "count", 1);
        }
    }

    static void csiDriver(ObjectNode driver) {
        ObjectNode spec = child(driver, "spec");
        setDefault(spec, "attachRequired", true);
        setDefault(spec, "podInfoOnMount", false);
        setDefault(spec, "storageCapacity", false);
        setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        setDefault(spec, "requiresRepublish", false);
        setDefault(spec, "seLinuxMount", false);
        if (spec.path("volumeLifecycleModes").isEmpty()) {
            spec.putArray("volumeLifecycleModes").add("Persistent");
        }
    }
}
