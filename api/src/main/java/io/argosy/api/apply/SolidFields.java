package io.argosy.api.apply;

import io.argosy.api.schema.Field;
import io.argosy.api.schema.Schema;
import java.util.Set;

/**
 * The fields that Kubernetes' own types always write, if only as an empty struct. An updater who fills one owns what is inside, not the
 * struct, because it was there before; the schema does not say which these are.
 */
final class SolidFields {
    private static final Set<String> OF_KINDS = Set.of("metadata", "spec", "status");
    private static final Set<String> BY_TYPE = Set.of(
            "PodTemplateSpec.metadata",
            "PodTemplateSpec.spec",
            "JobTemplateSpec.metadata",
            "JobTemplateSpec.spec",
            "PersistentVolumeClaimTemplate.spec",
            "DeploymentSpec.template",
            "DeploymentSpec.strategy",
            "DaemonSetSpec.template",
            "DaemonSetSpec.updateStrategy",
            "StatefulSetSpec.template",
            "StatefulSetSpec.updateStrategy",
            "ReplicaSetSpec.template",
            "JobSpec.template",
            "CronJobSpec.jobTemplate",
            "PodTemplate.template",
            "Container.resources",
            "PersistentVolumeClaimSpec.resources",
            "ServiceStatus.loadBalancer",
            "IngressStatus.loadBalancer",
            "NodeStatus.daemonEndpoints",
            "NodeDaemonEndpoints.kubeletEndpoint",
            "NodeStatus.nodeInfo",
            "HorizontalPodAutoscalerSpec.scaleTargetRef",
            "RoleBinding.roleRef",
            "ClusterRoleBinding.roleRef",
            "Event.involvedObject",
            "Event.source");

    private SolidFields() {}

    static boolean has(Schema schema, Field field) {
        if (field.isList() || field.isMap() || field.elementSchema() == null) {
            return false;
        }
        if (!schema.kinds().isEmpty() && OF_KINDS.contains(field.name())) {
            return true;
        }
        String type = schema.name().substring(schema.name().lastIndexOf('.') + 1);
        return BY_TYPE.contains(type + "." + field.name());
    }
}
