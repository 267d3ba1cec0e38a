package io.argosy.controllers.statefulset;

import io.argosy.client.Owners;
import io.argosy.controllers.pod.PodTemplates;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a pod of a stateful set keeps for life and beyond: its name, its host name and its claims. */
final class SetIdentity {
    private static final String POD_NAME = "statefulset.kubernetes.io/pod-name";

    private SetIdentity() {}

    /** The labels by which a pod of a stateful set is known. */
    static Map<String, String> labels(String name, int ordinal) {
        return Map.of(POD_NAME, name, "apps.kubernetes.io/pod-index", Integer.toString(ordinal));
    }

    static boolean isKnown(Pod pod) {
        return pod.getMetadata().getLabels() != null
                && pod.getMetadata()
                        .getName()
                        .equals(pod.getMetadata().getLabels().get(POD_NAME));
    }

    static Pod pod(StatefulSet set, PodTemplateSpec template, int ordinal, String revision) {
        String name = set.getMetadata().getName() + "-" + ordinal;
        Pod pod = new PodBuilder(PodTemplates.instantiate(template, set)).build();
        pod.getMetadata().setName(name);
        pod.getMetadata().setGenerateName(set.getMetadata().getName() + "-");
        Map<String, String> labels = pod.getMetadata().getLabels();
        labels.putAll(labels(name, ordinal));
        labels.put(Ordinals.REVISION, revision);
        pod.getSpec().setHostname(name);
        pod.getSpec().setSubdomain(set.getSpec().getServiceName());
        List<Volume> volumes = new ArrayList<>();
        for (PersistentVolumeClaim claim : set.getSpec().getVolumeClaimTemplates()) {
            volumes.add(new VolumeBuilder()
                    .withName(claim.getMetadata().getName())
                    .withNewPersistentVolumeClaim()
                    .withClaimName(claimName(set, claim, ordinal))
                    .endPersistentVolumeClaim()
                    .build());
        }
        for (Volume volume : pod.getSpec().getVolumes()) {
            if (volumes.stream().noneMatch(own -> own.getName().equals(volume.getName()))) {
                volumes.add(volume);
            }
        }
        pod.getSpec().setVolumes(volumes);
        return pod;
    }

    /** The claims of one ordinal; where the set says so they go with it. */
    static List<PersistentVolumeClaim> claims(StatefulSet set, int ordinal) {
        List<PersistentVolumeClaim> claims = new ArrayList<>();
        boolean goWithSet = set.getSpec().getPersistentVolumeClaimRetentionPolicy() != null
                && "Delete"
                        .equals(set.getSpec()
                                .getPersistentVolumeClaimRetentionPolicy()
                                .getWhenDeleted());
        for (PersistentVolumeClaim template : set.getSpec().getVolumeClaimTemplates()) {
            PersistentVolumeClaim claim = new PersistentVolumeClaimBuilder(template)
                    .editMetadata()
                    .withName(claimName(set, template, ordinal))
                    .withNamespace(set.getMetadata().getNamespace())
                    .addToLabels(set.getSpec().getSelector().getMatchLabels())
                    .endMetadata()
                    .withStatus(null)
                    .build();
            if (goWithSet) {
                claim.getMetadata().setOwnerReferences(List.of(Owners.controlledBy(set)));
            }
            claims.add(claim);
        }
        return claims;
    }

    static String claimName(StatefulSet set, PersistentVolumeClaim template, int ordinal) {
        return template.getMetadata().getName() + "-" + set.getMetadata().getName() + "-" + ordinal;
    }

    static boolean isClaimOf(StatefulSet set, PersistentVolumeClaim claim) {
        String name = claim.getMetadata().getName();
        return set.getSpec().getVolumeClaimTemplates().stream()
                .anyMatch(template -> name.startsWith(template.getMetadata().getName() + "-"
                        + set.getMetadata().getName() + "-"));
    }
}
