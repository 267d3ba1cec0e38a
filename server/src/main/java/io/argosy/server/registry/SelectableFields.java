package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import io.argosy.api.kinds.ResourceType;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The fields, beside name and namespace, that clients may select objects of a kind by. */
final class SelectableFields {
    private static final Map<String, Set<String>> BY_RESOURCE = Map.ofEntries(
            Map.entry(
                    "pods",
                    Set.of(
                            "spec.nodeName",
                            "spec.restartPolicy",
                            "spec.schedulerName",
                            "spec.serviceAccountName",
                            "spec.hostNetwork",
                            "status.phase",
                            "status.podIP",
                            "status.podIPs",
                            "status.nominatedNodeName")),
            Map.entry("nodes", Set.of("spec.unschedulable")),
            Map.entry("namespaces", Set.of("status.phase")),
            Map.entry("secrets", Set.of("type")),
            Map.entry("services", Set.of("spec.clusterIP", "spec.type")),
            Map.entry("replicationcontrollers", Set.of("status.replicas")),
            Map.entry("replicasets.apps", Set.of("status.replicas")),
            Map.entry("jobs.batch", Set.of("status.successful")),
            Map.entry("certificatesigningrequests.certificates.k8s.io", Set.of("spec.signerName")),
            Map.entry("resourceslices.resource.k8s.io", Set.of("spec.nodeName", "spec.driver")),
            Map.entry(
                    "events",
                    Set.of(
                            "involvedObject.kind",
                            "involvedObject.namespace",
                            "involvedObject.name",
                            "involvedObject.uid",
                            "involvedObject.apiVersion",
                            "involvedObject.resourceVersion",
                            "involvedObject.fieldPath",
                            "reason",
                            "reportingComponent",
                            "source",
                            "type")));

    /** Resources of no namespace whose clients may not even ask for it. */
    private static final Set<String> WITHOUT_NAMESPACE = Set.of(
            "nodes", "namespaces", "certificatesigningrequests.certificates.k8s.io", "resourceslices.resource.k8s.io");

    /** What events.k8s.io calls the fields of an event, where core has another name. */
    private static final Map<String, String> OF_EVENTS = Map.of(
            "regarding.kind", "involvedObject.kind",
            "regarding.namespace", "involvedObject.namespace",
            "regarding.name", "involvedObject.name",
            "regarding.uid", "involvedObject.uid",
            "regarding.apiVersion", "involvedObject.apiVersion",
            "regarding.resourceVersion", "involvedObject.resourceVersion",
            "regarding.fieldPath", "involvedObject.fieldPath",
            "reportingController", "reportingComponent",
            "reason", "reason",
            "type", "type");

    private SelectableFields() {}

    /** What the first clients called the node of a pod. */
    private static final String OLD_NODE = "spec.host";

    /** Selectors that go by another name than the field they are about. */
    private static final Map<String, String> PATHS =
            Map.of("source", "source.component", "status.successful", "status.succeeded");

    static Set<String> of(GroupResource resource) {
        return BY_RESOURCE.getOrDefault(resource.toString(), Set.of());
    }

    /** The fields themselves, as dotted paths. */
    static Set<String> paths(GroupResource resource) {
        Set<String> paths = new HashSet<>();
        of(resource).forEach(label -> paths.add(path(label)));
        return Set.copyOf(paths);
    }

    static Optional<String> path(ResourceType type, String label) {
        if (label.equals("metadata.name") || (label.equals("metadata.namespace") && hasNamespace(type))) {
            return Optional.of(label);
        }
        if (type.isCustom()) {
            return Optional.of(label).filter(type.custom().selectableFields()::contains);
        }
        if (type.group().equals("events.k8s.io")) {
            return Optional.ofNullable(OF_EVENTS.get(label));
        }
        if (label.equals(OLD_NODE) && type.storageResource().toString().equals("pods")) {
            return Optional.of("spec.nodeName");
        }
        return Optional.of(label).filter(of(type.storageResource())::contains).map(SelectableFields::path);
    }

    private static boolean hasNamespace(ResourceType type) {
        return type.isCustom()
                ? type.namespaced()
                : !WITHOUT_NAMESPACE.contains(type.storageResource().toString());
    }

    /** Each kind has words of its own. */
    static String unknown(ResourceType type, String label) {
        String resource = type.groupResource().toString();
        if (resource.equals("jobs.batch")) {
            return "field label \"" + label + "\" not supported for Job";
        }
        if (resource.equals("resourceslices.resource.k8s.io")) {
            return "field label not supported for " + type.groupVersion() + ", Kind=" + type.kind() + ": " + label;
        }
        boolean plain = !type.isCustom() && of(type.storageResource()).isEmpty();
        return plain
                ? "\"" + label + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                : "field label not supported: " + label;
    }

    private static String path(String label) {
        return PATHS.getOrDefault(label, label);
    }
}
