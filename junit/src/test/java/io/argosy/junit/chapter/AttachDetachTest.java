package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.AttachedVolume;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachmentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Volumes of a driver that the test plays: attached before a pod starts, detached after it is gone, and never at two places at once. */
@ArgosyTest(nodes = 2)
@Timeout(300)
class AttachDetachTest {
    private static final String DISK = """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: disk}
        spec:
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteOnce]
          storageClassName: ""
          persistentVolumeReclaimPolicy: Retain
          claimRef: {namespace: default, name: data}
          csi: {driver: disk.example.com, volumeHandle: handle-1}
        ---
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: ""
          volumeName: disk
          resources: {requests: {storage: 1Gi}}
        """;
    private static final String VOLUME = "kubernetes.io/csi/disk.example.com^handle-1";
    /** By {@code printf handle-1disk.example.comn1 | sha256sum}. */
    private static final String ON_N1 = "csi-cfb8749eecc2677572bb3d24366ec7e1299d848aae9c630388b32ddb528dfefb";

    private static final String ON_N2 = "csi-0a131c2f1094251c52cdbedce0b3fdeeda11bcaa50e16a1b382dd3fc756788ae";
    private static final String MULTI_ATTACH = "Multi-Attach error for volume \"disk\" ";

    private final Cluster cluster;
    private final KubernetesClient client;

    AttachDetachTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
        cluster.always(
                VolumeAttachment.class,
                "a volume for one node is attached to one node",
                attachments -> attachments.stream()
                                .map(attachment ->
                                        attachment.getSpec().getSource().getPersistentVolumeName())
                                .distinct()
                                .count()
                        == attachments.size());
    }

    @InTrouble
    void aVolumeIsAttachedBeforeItsPodStartsAndDetachedWhenThePodIsGone(Trouble trouble) {
        trouble.begin(cluster);
        cluster.apply(DISK + pod("web", "n1"));
        trouble.until(cluster, "the driver is asked", () -> attachment(ON_N1) != null);
        VolumeAttachment asked = attachment(ON_N1);
        assertThat(asked.getSpec().getAttacher()).isEqualTo("disk.example.com");
        assertThat(asked.getSpec().getNodeName()).isEqualTo("n1");
        assertThat(asked.getSpec().getSource().getPersistentVolumeName()).isEqualTo("disk");
        trouble.until(
                cluster,
                "the node says what it is about to use",
                () -> inUse("n1").equals(List.of(VOLUME)));
        assertThat(attached("n1")).isEmpty();
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Pending");

        attach(ON_N1);
        trouble.until(cluster, "the pod runs", () -> isRunning("web"));
        assertThat(attached("n1")).containsExactly(VOLUME);

        client.pods().withName("web").delete();
        trouble.until(
                cluster,
                "the pod is gone and its node lets go",
                () -> pod("web") == null && inUse("n1").isEmpty());
        trouble.until(cluster, "the driver is asked to detach it", () -> isGoing(ON_N1));
        assertThat(attached("n1")).isEmpty();
        detach(ON_N1);
        trouble.until(cluster, "it is detached", () -> attachment(ON_N1) == null);
    }

    @InTrouble
    void aVolumeForOneNodeIsGivenToTheNextWhenTheFirstHasLetGo(Trouble trouble) {
        trouble.begin(cluster);
        cluster.apply(DISK + pod("first", "n1"));
        trouble.until(cluster, "the first runs", () -> isServed("first"));
        cluster.apply(pod("second", "n2"));
        trouble.until(
                cluster,
                "the second is told",
                () -> events("second")
                        .contains("FailedAttachVolume " + MULTI_ATTACH + "Volume is already used by pod(s) first"));
        assertThat(pod("second").getStatus().getPhase()).isEqualTo("Pending");

        client.pods().withName("first").delete();
        trouble.until(cluster, "the driver is asked to detach it", () -> isGoing(ON_N1));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(attachment(ON_N2)).isNull();
        detach(ON_N1);
        trouble.until(cluster, "the second runs", () -> isServed("second"));
        assertThat(attached("n1")).isEmpty();
        assertThat(attached("n2")).containsExactly(VOLUME);
    }

    @Test
    void whatHappensIsToldToThePod() {
        cluster.apply(DISK + pod("web", "n1"));
        cluster.advance(Duration.ofSeconds(119));
        assertThat(events("web")).isEmpty();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(events("web"))
                .containsExactly("FailedAttachVolume AttachVolume.Attach failed for volume \"disk\" : timed out waiting"
                        + " for external-attacher of disk.example.com CSI driver to attach volume handle-1");
        status(
                ON_N1,
                attachment -> attachment
                        .editOrNewStatus()
                        .withAttached(false)
                        .withNewAttachError()
                        .withMessage("no such disk")
                        .withTime("2026-01-01T00:02:00Z")
                        .endAttachError()
                        .endStatus());
        cluster.advance(Duration.ofMinutes(10));
        assertThat(events("web"))
                .hasSize(2)
                .contains("FailedAttachVolume AttachVolume.Attach failed for volume \"disk\" : no such disk");
        assertThat(pod("web").getStatus().getPhase()).isEqualTo("Pending");

        attach(ON_N1);
        cluster.awaitIdle();
        assertThat(isRunning("web")).isTrue();
        assertThat(events("web"))
                .hasSize(3)
                .contains("SuccessfulAttachVolume AttachVolume.Attach succeeded for volume \"disk\" ");
        cluster.restartControlPlane();
        cluster.advance(Duration.ofMinutes(10));
        assertThat(events("web")).hasSize(3);
    }

    @Test
    void aSilentNodeKeepsItsVolumeForSixMinutes() {
        cluster.apply(DISK + pod("web", "n1"));
        cluster.await("it runs", () -> isServed("web"));
        cluster.failNode("n1");
        cluster.advance(Duration.ofMinutes(2));
        cluster.apply(pod("heir", "n2"));
        client.pods().withName("web").withGracePeriod(0).delete();
        cluster.awaitIdle();
        assertThat(pod("web")).isNull();
        cluster.advance(Duration.ofSeconds(359));
        assertThat(isGoing(ON_N1)).isFalse();
        assertThat(inUse("n1")).containsExactly(VOLUME);
        cluster.advance(Duration.ofSeconds(1));
        assertThat(isGoing(ON_N1)).isTrue();
        assertThat(attached("n1")).isEmpty();

        detach(ON_N1);
        cluster.await("the heir runs", () -> isServed("heir"));
        cluster.recoverNode("n1");
        cluster.awaitIdle();
        assertThat(inUse("n1")).isEmpty();
    }

    @Test
    void nobodyKnowsWhoHasAVolumeThatASilentNodeKeeps() {
        cluster.apply(DISK + pod("web", "n1"));
        cluster.await("it runs", () -> isServed("web"));
        cluster.failNode("n1");
        client.pods().withName("web").withGracePeriod(0).delete();
        cluster.awaitIdle();
        cluster.apply(pod("heir", "n2"));
        cluster.awaitIdle();
        assertThat(events("heir"))
                .containsExactly("FailedAttachVolume " + MULTI_ATTACH
                        + "Volume is already exclusively attached to one node and can't be attached to another");
    }

    @Test
    void aNodeThatIsOutOfServiceKeepsNothing() {
        cluster.apply(DISK + pod("web", "n1"));
        cluster.await("it runs", () -> isServed("web"));
        cluster.failNode("n1");
        cluster.advance(Duration.ofMinutes(2));
        assertThat(isGoing(ON_N1)).isFalse();
        client.nodes()
                .withName("n1")
                .edit(node -> new NodeBuilder(node)
                        .editSpec()
                        .addNewTaint("NoExecute", "node.kubernetes.io/out-of-service", null, "nodeshutdown")
                        .endSpec()
                        .build());
        cluster.awaitIdle();
        assertThat(pod("web")).isNull();
        assertThat(isGoing(ON_N1)).isTrue();
        assertThat(inUse("n1")).containsExactly(VOLUME);
    }

    @Test
    void aNodeThatIsGoneForGoodLosesItsVolumesAfterSixMinutes() {
        cluster.apply(DISK + pod("web", "n1"));
        cluster.await("it runs", () -> isServed("web"));
        cluster.failNode("n1");
        client.nodes().withName("n1").delete();
        cluster.await("its pod is given up", () -> pod("web") == null);
        cluster.advance(Duration.ofSeconds(359));
        assertThat(isGoing(ON_N1)).isFalse();
        cluster.await("its volume is given up", Duration.ofSeconds(1), () -> isGoing(ON_N1));
    }

    @Test
    void aVolumeIsDetachedOnlyWhenItsNodeSaysThatItIsNotInUse() {
        client.nodes()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("edge")
                        .addToAnnotations("volumes.kubernetes.io/controller-managed-attach-detach", "true")
                        .endMetadata()
                        .build())
                .create();
        edgeUses(VOLUME);
        cluster.apply(DISK + pod("web", "edge"));
        cluster.awaitIdle();
        String name = client.storage()
                .v1()
                .volumeAttachments()
                .list()
                .getItems()
                .getFirst()
                .getMetadata()
                .getName();
        attach(name);
        cluster.awaitIdle();
        assertThat(attached("edge")).containsExactly(VOLUME);
        client.pods().withName("web").withGracePeriod(0).delete();
        cluster.awaitIdle();
        assertThat(pod("web")).isNull();
        assertThat(isGoing(name)).isFalse();
        assertThat(attached("edge")).containsExactly(VOLUME);
        edgeUses();
        cluster.awaitIdle();
        assertThat(isGoing(name)).isTrue();
        assertThat(attached("edge")).isEmpty();
    }

    @Test
    void aDriverThatNeedsNoAttachingIsNotAsked() {
        cluster.apply(DISK + """
            ---
            apiVersion: storage.k8s.io/v1
            kind: CSIDriver
            metadata: {name: disk.example.com}
            spec: {attachRequired: false}
            """ + pod("web", "n1"));
        cluster.await("it runs", () -> isRunning("web"));
        cluster.awaitIdle();
        assertThat(client.storage().v1().volumeAttachments().list().getItems()).isEmpty();
        assertThat(inUse("n1")).isEmpty();
        client.storage().v1().csiDrivers().withName("disk.example.com").delete();
        cluster.awaitIdle();
        assertThat(attachment(ON_N1)).isNotNull();
    }

    @Test
    void aVolumeMadeForThePodAloneIsAttachedToo() {
        cluster.apply(DISK.replace("name: data}", "name: web-data}").split("---")[0]
                + pod("web", "n1")
                        .replace(
                                "persistentVolumeClaim: {claimName: data}",
                                "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], storageClassName:"
                                        + " '', volumeName: disk, resources: {requests: {storage: 1Gi}}}}}"));
        cluster.await("it runs", () -> isServed("web"));
        assertThat(attached("n1")).containsExactly(VOLUME);
    }

    @Test
    void aFinishedPodNeedsNoVolume() {
        cluster.image("app:1").exits(Duration.ofSeconds(5), 0);
        cluster.apply(DISK + pod("job", "n1"));
        cluster.await("it runs", () -> isServed("job"));
        cluster.await(Pod.class, "job", pod -> pod.getStatus().getPhase().equals("Succeeded"));
        cluster.awaitIdle();
        assertThat(inUse("n1")).isEmpty();
        assertThat(isGoing(ON_N1)).isTrue();
    }

    @Test
    void anAttachmentThatSomebodyMadeIsLeftAlone() {
        client.storage()
                .v1()
                .volumeAttachments()
                .resource(new VolumeAttachmentBuilder()
                        .withNewMetadata()
                        .withName("mine")
                        .endMetadata()
                        .withNewSpec()
                        .withAttacher("disk.example.com")
                        .withNodeName("n1")
                        .withNewSource()
                        .withPersistentVolumeName("absent")
                        .endSource()
                        .endSpec()
                        .build())
                .create();
        cluster.restartControlPlane();
        cluster.advance(Duration.ofMinutes(10));
        assertThat(attachment("mine").getMetadata().getDeletionTimestamp()).isNull();
    }

    // ---- the driver's part ----

    /** What a driver's attacher does: it sees to it that nothing is removed before it has detached it, attaches, and says so. */
    private void attach(String name) {
        client.storage()
                .v1()
                .volumeAttachments()
                .withName(name)
                .edit(attachment -> new VolumeAttachmentBuilder(attachment)
                        .editMetadata()
                        .withFinalizers("external-attacher/disk-example-com")
                        .endMetadata()
                        .build());
        status(name, attachment -> attachment.withNewStatus().withAttached(true).endStatus());
    }

    private void status(String name, UnaryOperator<VolumeAttachmentBuilder> change) {
        client.storage()
                .v1()
                .volumeAttachments()
                .withName(name)
                .editStatus(attachment ->
                        change.apply(new VolumeAttachmentBuilder(attachment)).build());
    }

    private void detach(String name) {
        client.storage()
                .v1()
                .volumeAttachments()
                .withName(name)
                .edit(attachment -> new VolumeAttachmentBuilder(attachment)
                        .editMetadata()
                        .withFinalizers(List.of())
                        .endMetadata()
                        .build());
    }

    /** Whether the pod runs, with a driver that attaches what it is asked for. */
    private boolean isServed(String pod) {
        for (VolumeAttachment asked :
                client.storage().v1().volumeAttachments().list().getItems()) {
            boolean done = asked.getStatus() != null
                    && Boolean.TRUE.equals(asked.getStatus().getAttached());
            if (!done && asked.getMetadata().getDeletionTimestamp() == null) {
                attach(asked.getMetadata().getName());
            }
        }
        return isRunning(pod);
    }

    // ---- what there is ----

    /** A node whose agent the test plays says that it is well, and what it uses. */
    private void edgeUses(String... volumes) {
        client.nodes()
                .withName("edge")
                .editStatus(node -> new NodeBuilder(node)
                        .withNewStatusLike(node.getStatus())
                        .withConditions(new NodeConditionBuilder()
                                .withType("Ready")
                                .withStatus("True")
                                .build())
                        .withVolumesInUse(volumes)
                        .endStatus()
                        .build());
    }

    private static String pod(String name, String node) {
        return """
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: %s}
            spec:
              nodeName: %s
              restartPolicy: Never
              containers:
              - name: main
                image: app:1
                volumeMounts: [{name: data, mountPath: /data}]
              volumes:
              - name: data
                persistentVolumeClaim: {claimName: data}
            """.formatted(name, node);
    }

    private Pod pod(String name) {
        return client.pods().withName(name).get();
    }

    private boolean isRunning(String name) {
        return pod(name).getStatus().getPhase().equals("Running");
    }

    private VolumeAttachment attachment(String name) {
        return client.storage().v1().volumeAttachments().withName(name).get();
    }

    /** Whether its end has been asked for, and waits for the driver. */
    private boolean isGoing(String attachment) {
        return attachment(attachment).getMetadata().getDeletionTimestamp() != null;
    }

    private List<String> inUse(String node) {
        return Objects.requireNonNullElse(node(node).getStatus().getVolumesInUse(), List.of());
    }

    private List<String> attached(String node) {
        return node(node).getStatus().getVolumesAttached().stream()
                .map(AttachedVolume::getName)
                .toList();
    }

    private Node node(String name) {
        return client.nodes().withName(name).get();
    }

    /** What the attach/detach loop told the pod. */
    private List<String> events(String pod) {
        return client.v1().events().list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod)
                        && event.getReason().contains("AttachVolume"))
                .map(event -> event.getReason() + " " + event.getMessage())
                .toList();
    }
}
