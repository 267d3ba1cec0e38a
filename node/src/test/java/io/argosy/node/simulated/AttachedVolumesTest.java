package io.argosy.node.simulated;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.CsiVolume;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachmentBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods of simulated nodes and the volumes they wait for; the control plane is the test. */
@Timeout(60)
class AttachedVolumesTest {
    private static final CsiVolume DISK = new CsiVolume("d.example.com", "h");

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();
    private final Resources<Pod> pods = client.resources(Pod.class);
    private SharedInformers informers;
    private SimulatedNodes simulated;

    @BeforeEach
    void start() throws InterruptedException {
        informers = new SharedInformers(api, clock);
        simulated = new SimulatedNodes(client, informers, clock, 2);
        informers.start();
        informers.awaitSync();
        simulated.start();
        eventually("registered", simulated::idle);
    }

    @AfterEach
    void stop() {
        simulated.close();
        informers.close();
    }

    @Test
    void aClaimIsWaitedForUntilItIsBoundAndAFolderCostsNothingMore() {
        pods.create(web());
        client.resources(PersistentVolume.class).create(volume().build());
        eventually("looked at", simulated::idle);
        assertThat(pods.get("default", "web").getStatus()).isNull();
        claim();
        eventually("running", this::isRunning);
        assertThat(api.requests())
                .noneMatch(request -> request.resource().equals("volumeattachments")
                        || request.resource().equals("csidrivers")
                        || new String(request.body(), StandardCharsets.UTF_8).contains("volumesInUse"));
    }

    @Test
    void aDriversVolumeIsInUseBeforeItIsAttachedAndUntilThePodIsGone() {
        disk();
        pods.create(web());
        eventually("in use", () -> inUse().equals(List.of(DISK.uniqueName())));
        attach(false);
        eventually("looked at", simulated::idle);
        assertThat(pods.get("default", "web").getStatus()).isNull();
        attach(true);
        eventually("running", this::isRunning);
        pods.delete("default", "web", Resources.DeleteOptions.DEFAULT);
        eventually("no longer in use", () -> inUse().isEmpty());
    }

    @Test
    void aVolumeStaysInUseWhateverBecomesOfItsClaim() {
        disk();
        pods.create(web());
        eventually("in use", () -> !inUse().isEmpty());
        attach(true);
        eventually("running", this::isRunning);
        client.resources(PersistentVolumeClaim.class).delete("default", "data", Resources.DeleteOptions.DEFAULT);
        pods.create(new PodBuilder(web())
                .editMetadata()
                .withName("late")
                .endMetadata()
                .build());
        eventually("looked at", simulated::idle);
        assertThat(inUse()).containsExactly(DISK.uniqueName());
    }

    @Test
    void whatAnEarlierProcessUsedIsCheckedWhenTheNextBegins() throws InterruptedException {
        disk();
        pods.create(web());
        eventually("in use", () -> !inUse().isEmpty());
        attach(true);
        eventually("running", this::isRunning);
        again();
        eventually("checked", simulated::idle);
        assertThat(inUse()).containsExactly(DISK.uniqueName());
        simulated.close();
        informers.close();
        pods.delete("default", "web", new Resources.DeleteOptions(0L, null, null, null));
        again();
        eventually("no longer in use", () -> inUse().isEmpty());
    }

    @Test
    void aLostNodeSaysNothingUntilItIsBack() {
        disk();
        pods.create(web());
        eventually("in use", () -> !inUse().isEmpty());
        simulated.fail("sim-1");
        pods.delete("default", "web", new Resources.DeleteOptions(0L, null, null, null));
        eventually("looked at", () -> simulated.idle() && informers.idle());
        assertThat(inUse()).containsExactly(DISK.uniqueName());
        simulated.recover("sim-1");
        eventually("no longer in use", () -> inUse().isEmpty());
    }

    private void again() throws InterruptedException {
        stop();
        start();
    }

    private void disk() {
        client.resources(PersistentVolume.class)
                .create(volume().editSpec()
                        .withHostPath(null)
                        .withNewCsi()
                        .withDriver(DISK.driver())
                        .withVolumeHandle(DISK.handle())
                        .endCsi()
                        .endSpec()
                        .build());
        claim();
    }

    private static PersistentVolumeBuilder volume() {
        return new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName("disk")
                .endMetadata()
                .withNewSpec()
                .withNewHostPath("/data", "")
                .endSpec();
    }

    private void claim() {
        client.resources(PersistentVolumeClaim.class)
                .create(new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("data")
                        .endMetadata()
                        .withNewSpec()
                        .withVolumeName("disk")
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Bound")
                        .endStatus()
                        .build());
    }

    private static Pod web() {
        return new PodBuilder()
                .withNewMetadata()
                .withName("web")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNodeName("sim-1")
                .addNewContainer()
                .withName("c")
                .withImage("nginx:1.7.9")
                .endContainer()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim()
                .withClaimName("data")
                .endPersistentVolumeClaim()
                .endVolume()
                .endSpec()
                .build();
    }

    /** What driver and control plane do: the attachment, and then the node's list. */
    private void attach(boolean done) {
        Resources<VolumeAttachment> attachments = client.resources(VolumeAttachment.class);
        String name = DISK.attachmentTo("sim-1");
        if (attachments.find("", name).isEmpty()) {
            attachments.create(new VolumeAttachmentBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .endMetadata()
                    .build());
        }
        ObjectNode status = Json.object();
        status.putObject("status").put("attached", done);
        attachments.patchStatusOnly("", name, Resources.PatchType.MERGE, status);
        if (done) {
            ObjectNode list = Json.object();
            list.putObject("status")
                    .putArray("volumesAttached")
                    .addObject()
                    .put("name", DISK.uniqueName())
                    .put("devicePath", "");
            client.resources(Node.class).patchStatusOnly("", "sim-1", Resources.PatchType.MERGE, list);
        }
    }

    private List<String> inUse() {
        return client.resources(Node.class).get("", "sim-1").getStatus().getVolumesInUse();
    }

    private boolean isRunning() {
        Pod found = pods.get("default", "web");
        return found.getStatus() != null && "Running".equals(found.getStatus().getPhase());
    }
}
