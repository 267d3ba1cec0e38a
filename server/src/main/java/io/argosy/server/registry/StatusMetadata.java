package io.argosy.server.registry;

import io.argosy.api.apply.FieldSet;
import io.argosy.api.kinds.ResourceType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What of its metadata changes with an object's status. Older kinds let everything through, since their controllers write annotations and
 * finalizers that way; newer ones, and custom resources, nothing.
 */
final class StatusMetadata {
    private static final List<String> ALL = List.of("labels", "annotations", "finalizers", "ownerReferences");

    private static final Set<String> STATUS_ALONE = Set.of(
            "validatingadmissionpolicies.admissionregistration.k8s.io",
            "apiservices.apiregistration.k8s.io",
            "podcertificaterequests.certificates.k8s.io",
            "flowschemas.flowcontrol.apiserver.k8s.io",
            "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
            "storageversions.internal.apiserver.k8s.io",
            "servicecidrs.networking.k8s.io",
            "devicetaintrules.resource.k8s.io",
            "resourceclaims.resource.k8s.io",
            "volumeattachments.storage.k8s.io",
            "storageversionmigrations.storagemigration.k8s.io");

    private static final String REQUESTS = "certificatesigningrequests.certificates.k8s.io";
    private static final FieldSet CONDITIONS = FieldSet.ofFields("status.conditions");

    /** Those whose metadata changes, but is nobody's afterwards. */
    private static final String DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

    private StatusMetadata() {}

    /** The fields of metadata that a write of the status may change. */
    static List<String> changing(ResourceType type) {
        String resource = type.groupResource().toString();
        if (type.isCustom() || STATUS_ALONE.contains(resource)) {
            return List.of();
        }
        return switch (resource) {
            case "deployments.apps" -> but("labels"); // tells the set's own labels from those of its pods
            case "pods" -> but("ownerReferences"); // old nodes garbled them
            default -> ALL;
        };
    }

    private static List<String> but(String field) {
        return ALL.stream().filter(each -> !each.equals(field)).toList();
    }

    /** Leaves of the fields of a write of the status, or of a verdict on a request, those that become the writer's. */
    static UnaryOperator<FieldSet> owned(ResourceType type, String subresource) {
        String resource = type.groupResource().toString();
        List<String> paths = new ArrayList<>();
        if (!resource.equals(DEFINITIONS)) {
            (type.isCustom() ? ALL : changing(type)).forEach(field -> paths.add("metadata." + field));
        }
        paths.add(subresource.equals("approval") ? "status.conditions" : "status");
        FieldSet writable = FieldSet.ofFields(paths.toArray(String[]::new));
        return resource.equals(REQUESTS) && subresource.equals("status")
                ? fields -> fields.under(writable).without(CONDITIONS)
                : fields -> fields.under(writable);
    }
}
