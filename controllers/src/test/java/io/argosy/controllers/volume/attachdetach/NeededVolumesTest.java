package io.argosy.controllers.volume.attachdetach;

import static io.argosy.controllers.volume.Storage.volume;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which pods need volumes, and which volumes one node only may have. */
class NeededVolumesTest {
    @ParameterizedTest
    @CsvSource({
        // phase, on its way out, its container: over
        "Pending,   false, none,       false",
        "Running,   false, running,    false",
        "Running,   false, terminated, false",
        "Succeeded, false, terminated, true",
        "Failed,    false, running,    true",
        "Running,   true,  running,    false",
        "Running,   true,  unsaid,     false",
        "Running,   true,  waiting,    true",
        "Running,   true,  terminated, true",
        "Pending,   true,  none,       true",
    })
    void aPodNeedsItsVolumesUntilNothingInItRuns(String phase, boolean leaving, String container, boolean over) {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("web")
                .withDeletionTimestamp(leaving ? "2026-01-01T00:00:00Z" : null)
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .endStatus()
                .build();
        ContainerStatusBuilder status = new ContainerStatusBuilder().withName("main");
        switch (container) {
            case "running" ->
                status.withNewState().withNewRunning().endRunning().endState();
            case "waiting" ->
                status.withNewState().withNewWaiting().endWaiting().endState();
            case "terminated" ->
                status.withNewState().withNewTerminated().endTerminated().endState();
            default -> {}
        }
        if (!container.equals("none")) {
            pod.getStatus().setContainerStatuses(List.of(status.build()));
        }
        assertThat(NeededVolumes.isOver(pod)).isEqualTo(over);
    }

    @ParameterizedTest
    @CsvSource({
        "'', false",
        "ReadWriteOnce, true",
        "ReadWriteOncePod, true",
        "ReadWriteMany, false",
        "ReadOnlyMany, false",
        "ReadWriteOnce ReadOnlyMany, false",
    })
    void aVolumeThatNobodySharesIsForOneNode(String modes, boolean exclusive) {
        var csi = new PersistentVolumeBuilder(volume("disk", "1Gi", ""))
                .editSpec()
                .withAccessModes(modes.isEmpty() ? List.of() : List.of(modes.split(" ")))
                .withNewCsi()
                .withDriver("d.example.com")
                .withVolumeHandle("h")
                .endCsi()
                .endSpec()
                .build();
        assertThat(Attachable.from(csi).orElseThrow().exclusive()).isEqualTo(exclusive);
        assertThat(Attachable.from(csi).orElseThrow().name()).isEqualTo("disk");
    }

    @Test
    void onlyADriversVolumeIsAttached() {
        assertThat(Attachable.from(volume("folder", "1Gi", ""))).isEmpty();
        assertThat(Attachable.from(new PersistentVolumeBuilder(volume("disk", "1Gi", ""))
                        .editSpec()
                        .withNewCsi()
                        .withDriver("d.example.com")
                        .endCsi()
                        .endSpec()
                        .build()))
                .isEmpty();
    }

    @Test
    void anAttachmentThatSaysNothingIsNobodys() {
        assertThat(Attachment.nodeOf(new VolumeAttachment())).isEmpty();
        assertThat(Attachment.volumeOf(new VolumeAttachment())).isEmpty();
        assertThat(Attachment.isAttached(new VolumeAttachment())).isFalse();
    }
}
