package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The defaults of kinds that have only a few. */
final class SmallDefaults {
    private SmallDefaults() {}

    static void persistentVolume(ObjectNode volume) {
        ObjectNode spec = child(volume, "spec");
        setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
        setDefault(spec, "volumeMode", "Filesystem");
        if (existing(spec, "hostPath") instanceof ObjectNode hostPath && !hostPath.has("type")) {
            hostPath.put("type", "");
        }
        setDefault(child(volume, "status"), "phase", "Pending");
    }

    static void persistentVolumeClaim(ObjectNode claim) {
        setDefault(child(claim, "spec"), "volumeMode", "Filesystem");
        setDefault(child(claim, "status"), "phase", "Pending");
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
        for (String direction : java.util.List.of("ingress", "egress")) {
            for (ObjectNode rule : objects(spec, direction)) {
                objects(rule, "ports").forEach(port -> setDefault(port, "protocol", "TCP"));
            }
        }
        if (!spec.has("policyTypes")) {
            var types = spec.putArray("policyTypes").add("Ingress");
            if (!spec.path("egress").isEmpty()) {
                types.add("Egress");
            }
        }
    }

    static void priorityClass(ObjectNode priorityClass) {
        setDefault(priorityClass, "preemptionPolicy", "PreemptLowerPriority");
    }

    static void podTemplate(ObjectNode podTemplate) {
        PodDefaults.template(child(podTemplate, "template"));
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
