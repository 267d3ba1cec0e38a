package io.argosy.controllers.volume.binder;

import static io.argosy.controllers.volume.Storage.claim;
import static io.argosy.controllers.volume.Storage.meantFor;
import static io.argosy.controllers.volume.Storage.volume;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a volume, case by case. */
class VolumePlanTest {
    private final PersistentVolume given = meantFor(volume("v", "1Gi", ""), "c", "uid-c");

    @Test
    void whoNamesNobodyOrNobodyYetIsAvailable() {
        assertThat(VolumePlan.of(volume("v", "1Gi", ""), Optional.empty()))
                .isEqualTo(new VolumePlan.Phase("Available"));
        assertThat(VolumePlan.of(meantFor(volume("v", "1Gi", ""), "c", ""), Optional.empty()))
                .isEqualTo(new VolumePlan.Phase("Available"));
    }

    @Test
    void itFollowsItsClaim() {
        assertThat(VolumePlan.of(given, claimWith("v"))).isEqualTo(new VolumePlan.Phase("Bound"));
        assertThat(VolumePlan.of(given, claimWith(null)))
                .isEqualTo(new VolumePlan.Wait(Optional.empty(), Optional.empty()));
        assertThat(VolumePlan.of(given, claimWith("another"))).isEqualTo(new VolumePlan.Unbind());
        assertThat(VolumePlan.of(with("Delete", true), claimWith("another")))
                .isEqualTo(new VolumePlan.Phase("Released"));
    }

    @Test
    void aClaimOfAnotherModeIsTold() {
        PersistentVolume block = new PersistentVolumeBuilder(given)
                .editSpec()
                .withVolumeMode("Block")
                .endSpec()
                .build();
        assertThat(VolumePlan.of(block, claimWith(null))).isInstanceOfSatisfying(VolumePlan.Wait.class, wait -> {
            assertThat(wait.aboutVolume().orElseThrow().message())
                    .isEqualTo(
                            "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"c\" due to incompatible"
                                    + " volumeMode.");
            assertThat(wait.aboutClaim().orElseThrow().reason()).isEqualTo("VolumeMismatch");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "Retain, false, Released",
        "Retain, true, Released",
        "Delete, true, Released",
        "Delete, false, VolumeFailedDelete",
        "Recycle, false, VolumeFailedRecycle",
        "Forget, false, VolumeUnknownReclaimPolicy"
    })
    void theClaimIsGone(String policy, boolean provisioned, String outcome) {
        VolumePlan plan = VolumePlan.of(with(policy, provisioned), Optional.empty());
        assertThat(plan instanceof VolumePlan.Failed failed ? failed.told().reason() : ((VolumePlan.Phase) plan).name())
                .isEqualTo(outcome);
    }

    private PersistentVolume with(String policy, boolean provisioned) {
        PersistentVolumeBuilder volume = new PersistentVolumeBuilder(given)
                .editSpec()
                .withPersistentVolumeReclaimPolicy(policy)
                .endSpec();
        return provisioned
                ? volume.editMetadata()
                        .addToAnnotations(StorageNames.PROVISIONED_BY, "example.com/disks")
                        .endMetadata()
                        .build()
                : volume.build();
    }

    private static Optional<PersistentVolumeClaim> claimWith(String volume) {
        return Optional.of(new PersistentVolumeClaimBuilder(claim("c", "1Gi", ""))
                .editSpec()
                .withVolumeName(volume)
                .endSpec()
                .build());
    }
}
