package io.argosy.controllers.volume.binder;

import io.argosy.client.LabelSelectors;
import io.argosy.controllers.volume.Claims;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Which volume fits a claim, and which of those that fit is the best: its own first, then the fewest modes, then the smallest. */
final class VolumeMatch {
    private VolumeMatch() {}

    /**
     * The volume to bind.
     *
     * @param ownOnly only a volume that already names the claim counts, because a scheduler chooses among the others
     */
    static Optional<PersistentVolume> best(
            PersistentVolumeClaim claim, Collection<PersistentVolume> volumes, boolean ownOnly) {
        List<PersistentVolume> suited = volumes.stream()
                .filter(volume -> !Claims.isDeleting(volume)
                        && size(volume).compareTo(Claims.requested(claim)) >= 0
                        && mode(volume).equals(mode(claim))
                        && volume.getSpec()
                                .getAccessModes()
                                .containsAll(claim.getSpec().getAccessModes())
                        && sameAttributes(volume, claim))
                .toList();
        Optional<PersistentVolume> own = suited.stream()
                .filter(volume -> Claims.isBoundTo(volume, claim))
                .min(ORDER);
        return own.isPresent() || ownOnly
                ? own
                : suited.stream().filter(volume -> isFree(volume, claim)).min(ORDER);
    }

    private static final Comparator<PersistentVolume> ORDER = Comparator.comparing((PersistentVolume volume) ->
                    volume.getSpec().getAccessModes().size())
            .thenComparing(VolumeMatch::size)
            .thenComparing(volume -> volume.getMetadata().getName());

    private static boolean isFree(PersistentVolume volume, PersistentVolumeClaim claim) {
        LabelSelector selector = claim.getSpec().getSelector();
        return volume.getSpec().getClaimRef() == null
                && Claims.phase(volume).equals("Available")
                && (selector == null
                        || LabelSelectors.matches(selector, volume.getMetadata().getLabels()))
                && Claims.className(volume).equals(Claims.text(Claims.className(claim)));
    }

    /** Why a volume that the claim names cannot be bound to it; empty if it can. */
    static Optional<String> objection(PersistentVolume volume, PersistentVolumeClaim claim) {
        if (Claims.requested(claim).compareTo(size(volume)) > 0) {
            return Optional.of("requested PV is too small");
        }
        if (!Claims.className(volume).equals(Claims.text(Claims.className(claim)))) {
            return Optional.of("storageClassName does not match");
        }
        if (!sameAttributes(volume, claim)) {
            return Optional.of("volumeAttributesClassName does not match");
        }
        if (!mode(volume).equals(mode(claim))) {
            return Optional.of("incompatible volumeMode");
        }
        if (!volume.getSpec().getAccessModes().containsAll(claim.getSpec().getAccessModes())) {
            return Optional.of("incompatible accessMode");
        }
        return Optional.empty();
    }

    private static boolean sameAttributes(PersistentVolume volume, PersistentVolumeClaim claim) {
        return Claims.text(volume.getSpec().getVolumeAttributesClassName())
                .equals(Claims.text(claim.getSpec().getVolumeAttributesClassName()));
    }

    static BigDecimal size(PersistentVolume volume) {
        return Claims.storage(volume.getSpec().getCapacity());
    }

    static String mode(PersistentVolume volume) {
        return orFilesystem(volume.getSpec().getVolumeMode());
    }

    static String mode(PersistentVolumeClaim claim) {
        return orFilesystem(claim.getSpec().getVolumeMode());
    }

    private static String orFilesystem(String mode) {
        return mode == null || mode.isEmpty() ? "Filesystem" : mode;
    }
}
