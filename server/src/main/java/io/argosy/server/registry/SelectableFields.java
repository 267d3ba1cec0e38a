package io.argosy.server.registry;

import io.argosy.api.GroupResource;
import java.util.HashSet;
import java.util.Map;
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

    private SelectableFields() {}

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

    static String path(String label) {
        return PATHS.getOrDefault(label, label);
    }
}
