package io.argosy.controllers;

import static io.argosy.controllers.volume.Storage.claim;
import static io.argosy.controllers.volume.Storage.meantFor;
import static io.argosy.controllers.volume.Storage.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.names.CsiVolume;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attaching over an API that refuses, and nodes that speak at the wrong moment; the driver is the test. */
@Timeout(120)
class AttachDetachScenarioTest {
    private static final CsiVolume DISK = new CsiVolume("d.example.com", "h");
    private static final String NAME = DISK.attachmentTo("n1");

    private final FakeCluster cluster = new FakeCluster();

    @BeforeEach
    void bind() {
        PersistentVolumeClaim claim = cluster.create(claim("data", "1Gi", ""));
        cluster.create(new PersistentVolumeBuilder(meantFor(
                        volume("disk", "1Gi", ""), "data", claim.getMetadata().getUid()))
                .editSpec()
                .withHostPath(null)
                .withNewCsi()
                .withDriver(DISK.driver())
                .withVolumeHandle(DISK.handle())
                .endCsi()
                .endSpec()
                .withStatus(null)
                .build());
        cluster.eventually("bound", () -> {
            PersistentVolumeClaim found =
                    cluster.resources(PersistentVolumeClaim.class).get("default", "data");
            return found.getStatus() != null && "Bound".equals(found.getStatus().getPhase());
        });
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void everyStepSurvivesARefusal() {
        refuse(request -> request.verb() == Verb.CREATE && request.resource().equals("volumeattachments"));
        run();
        cluster.eventually("the driver is asked", () -> attachment() != null);
        assertThat(cluster.told())
                .filteredOn(event -> event.contains("FailedAttachVolume"))
                .singleElement()
                .asString()
                .startsWith("Warning Pod/web FailedAttachVolume: AttachVolume.Attach failed for volume \"disk\" :"
                        + " kubernetes.io/csi: attacher.Attach failed: ");

        refuse(AttachDetachScenarioTest::isNodeStatus);
        attach();
        cluster.eventually("the node is told", () -> attached().equals(List.of(DISK.uniqueName())));
        assertThat(cluster.told())
                .filteredOn(event -> event.contains("SuccessfulAttachVolume"))
                .hasSize(1);

        refuse(AttachDetachScenarioTest::isNodeStatus);
        refuse(request -> request.verb() == Verb.DELETE && request.resource().equals("volumeattachments"));
        end();
        cluster.eventually("it is detached", () -> attachment() == null);
        assertThat(attached()).isEmpty();
    }

    @Test
    void aNodeThatBeginsToUseAVolumeInTheLastMomentKeepsIt() {
        run();
        cluster.eventually("the driver is asked", () -> attachment() != null);
        attach();
        cluster.eventually("the node is told", () -> !attached().isEmpty());
        cluster.settle();
        AtomicBoolean spoken = new AtomicBoolean();
        cluster.api.failOnce(
                request -> {
                    if (isNodeStatus(request) && spoken.compareAndSet(false, true)) {
                        use(DISK.uniqueName());
                    }
                    return false;
                },
                new IllegalStateException());
        end();
        cluster.eventually("it is about to be detached", spoken::get);
        cluster.settle();
        assertThat(attachment()).isNotNull();
        use();
        cluster.eventually("it is detached", () -> attachment() == null);
    }

    private void refuse(Predicate<Request> when) {
        cluster.api.failOnce(
                when, ApiException.conflict(new GroupResource("", "things"), "x", "the object has been modified"));
    }

    private static boolean isNodeStatus(Request request) {
        return request.verb() == Verb.PATCH
                && request.resource().equals("nodes")
                && new String(request.body(), StandardCharsets.UTF_8).contains("volumesAttached");
    }

    private void run() {
        cluster.create(new PodBuilder(Manifests.pod("web", Map.of()))
                .editSpec()
                .withNodeName("n1")
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim()
                .withClaimName("data")
                .endPersistentVolumeClaim()
                .endVolume()
                .endSpec()
                .build());
    }

    private void end() {
        cluster.resources(Pod.class).delete("default", "web", DeleteOptions.DEFAULT);
    }

    private void attach() {
        ObjectNode patch = Json.object();
        patch.putObject("status").put("attached", true);
        cluster.resources(VolumeAttachment.class).patchStatus("", NAME, PatchType.MERGE, patch);
    }

    private void use(String... volumes) {
        ObjectNode patch = Json.object();
        var list = patch.putObject("status").putArray("volumesInUse");
        List.of(volumes).forEach(list::add);
        cluster.resources(Node.class).patchStatus("", "n1", PatchType.MERGE, patch);
    }

    private VolumeAttachment attachment() {
        return cluster.resources(VolumeAttachment.class).find("", NAME).orElse(null);
    }

    private List<String> attached() {
        return cluster.resources(Node.class).get("", "n1").getStatus().getVolumesAttached().stream()
                .map(volume -> volume.getName())
                .toList();
    }
}
