package io.argosy.scheduler.volume;

import io.argosy.client.LabelSelectors;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.NodeRequirement;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.List;
import java.util.Set;

/** Finds the volume for a claim on a node: the one meant for it, else the smallest that is large enough. */
final class VolumeMatch {
    private VolumeMatch() {}

    /** Null if no volume will do. Taken are the volumes already promised to others. */
    static PersistentVolume find(
            PersistentVolumeClaim claim, List<PersistentVolume> volumes, NodeInfo node, Set<String> taken) {
        PersistentVolume smallest = null;
        for (PersistentVolume volume : volumes) {
            if (taken.contains(volume.getMetadata().getName())
                    || volume.getMetadata().getDeletionTimestamp() != null
                    || volume.getSpec().getClaimRef() != null && !Claims.isFor(volume, claim)
                    || !isLargeEnough(volume, claim)) {
                continue;
            }
            boolean reachable = isReachable(volume, node);
            if (Claims.isFor(volume, claim)) {
                return reachable ? volume : null;
            }
            if (reachable
                    && isAvailable(volume, claim)
                    && (smallest == null
                            || Claims.size(smallest.getSpec().getCapacity())
                                            .compareTo(
                                                    Claims.size(volume.getSpec().getCapacity()))
                                    > 0)) {
                smallest = volume;
            }
        }
        return smallest;
    }

    static boolean isReachable(PersistentVolume volume, NodeInfo node) {
        var affinity = volume.getSpec().getNodeAffinity();
        return affinity == null
                || affinity.getRequired() == null
                || NodeRequirement.of(affinity.getRequired()).matches(node);
    }

    private static boolean isLargeEnough(PersistentVolume volume, PersistentVolumeClaim claim) {
        return Claims.size(volume.getSpec().getCapacity()).compareTo(Claims.requested(claim)) >= 0
                && mode(volume.getSpec().getVolumeMode())
                        .equals(mode(claim.getSpec().getVolumeMode()))
                && Claims.text(volume.getSpec().getVolumeAttributesClassName())
                        .equals(Claims.text(claim.getSpec().getVolumeAttributesClassName()));
    }

    private static boolean isAvailable(PersistentVolume volume, PersistentVolumeClaim claim) {
        List<String> offered = volume.getSpec().getAccessModes();
        List<String> wanted = claim.getSpec().getAccessModes();
        return volume.getStatus() != null
                && "Available".equals(volume.getStatus().getPhase())
                && Claims.classOf(volume).equals(Claims.classOf(claim))
                && (wanted == null || offered != null && offered.containsAll(wanted))
                && (claim.getSpec().getSelector() == null
                        || LabelSelectors.matches(
                                claim.getSpec().getSelector(),
                                volume.getMetadata().getLabels()));
    }

    private static String mode(String mode) {
        return mode == null || mode.isEmpty() ? "Filesystem" : mode;
    }
}
