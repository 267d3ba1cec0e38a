package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;

/**
 * How the members' pods are made.
 *
 * @param ephemeral whether members have no volume, and their data goes with their pods
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PodPolicy(
        Map<String, String> labels,
        Map<String, String> annotations,
        Map<String, String> nodeSelector,
        Affinity affinity,
        ResourceRequirements resources,
        List<Toleration> tolerations,
        List<EnvVar> etcdEnv,
        PodSecurityContext securityContext,
        PersistentVolumeClaimSpec persistentVolumeClaimSpec,
        Boolean ephemeral,
        String busyboxImage) {
    public static final PodPolicy NONE =
            new PodPolicy(null, null, null, null, null, null, null, null, null, null, null);

    public boolean withoutVolumes() {
        return Boolean.TRUE.equals(ephemeral);
    }
}
