package io.argosy.node.agent.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.fake.FakeApi;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.runtime.Device;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpecBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Volumes that a pod reaches through claims, and what is said when it does not. */
class ClaimVolumesTest {
    private static final String UNPROCESSED = "Unable to attach or mount volumes: unmounted volumes=[v], unattached"
            + " volumes=[], failed to process volumes=[v]: ";

    @TempDir
    Path home;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final Client client = new FakeApi(clock).client();
    private final Volume byClaim = new VolumeBuilder()
            .withName("v")
            .withNewPersistentVolumeClaim()
            .withClaimName("c")
            .endPersistentVolumeClaim()
            .build();
    private PodVolumes volumes;

    @BeforeEach
    void begin() {
        ConfigSource nothing = new ConfigSource() {
            @Override
            public Optional<ConfigMap> configMap(String namespace, String name) {
                return Optional.empty();
            }

            @Override
            public Optional<Secret> secret(String namespace, String name) {
                return Optional.empty();
            }

            @Override
            public Optional<List<ClusterTrustBundle>> trustBundles() {
                return Optional.empty();
            }
        };
        volumes = new PodVolumes(home.resolve("pods"), nothing, request -> Optional.empty(), client, clock);
    }

    @Test
    void localAndHostPathVolumesAreWhereTheySay() throws IOException {
        Path data = Files.createDirectory(home.resolve("data"));
        bind(new PersistentVolumeSpecBuilder()
                .withNewLocal()
                .withPath(data.toString())
                .endLocal()
                .build());
        assertThat(setUp(byClaim)).isEqualTo(data);
        assertThat(volumes.claim(pod(byClaim, new ContainerBuilder().build()), byClaim))
                .contains(new PodVolumes.PlacedClaim("c", data));
    }

    @ParameterizedTest
    @CsvSource({
        "here, Filesystem, ''",
        "there, Filesystem, MountVolume.NodeAffinity check failed for volume \"pv\" : no matching NodeSelectorTerms",
        "there, Block, MapVolume.NodeAffinity check failed for volume \"pv\" : no matching NodeSelectorTerms"
    })
    void aVolumeOfAnotherNodeIsNotMountedOnThisOne(String host, String mode, String message) throws IOException {
        Path data = Files.createDirectory(home.resolve("data"));
        client.resources(Node.class)
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n1")
                        .addToLabels("kubernetes.io/hostname", "here")
                        .endMetadata()
                        .build());
        bind(new PersistentVolumeSpecBuilder()
                .withVolumeMode(mode)
                .withNewLocal()
                .withPath(data.toString())
                .endLocal()
                .withNewNodeAffinity()
                .withNewRequired()
                .addNewNodeSelectorTerm()
                .addNewMatchExpression()
                .withKey("kubernetes.io/hostname")
                .withOperator("In")
                .withValues(host)
                .endMatchExpression()
                .endNodeSelectorTerm()
                .endRequired()
                .endNodeAffinity()
                .build());
        Pod pod = pod(byClaim, new ContainerBuilder().build());
        pod.getSpec().setNodeName("n1");
        if (message.isEmpty()) {
            assertThat(setUp(pod)).isEqualTo(data);
        } else {
            assertThatThrownBy(() -> setUp(pod))
                    .isInstanceOf(VolumeException.class)
                    .hasMessage(message);
        }
    }

    @Test
    void aFolderThatVanishedIsTold() {
        bind(new PersistentVolumeSpecBuilder()
                .withNewLocal()
                .withPath("/no/such/folder")
                .endLocal()
                .build());
        refused(
                byClaim,
                "MountVolume.NewMounter initialization failed for volume \"pv\" : path \"/no/such/folder\" does not"
                        + " exist");
    }

    @Test
    void aServerThatCannotBeHadIsTold() {
        bind(new PersistentVolumeSpecBuilder()
                .withMountOptions("nfsvers=4", "port=1", "retry=0")
                .withNewNfs("/exports", null, "127.0.0.1")
                .build());
        assertThatThrownBy(() -> setUp(byClaim))
                .isInstanceOf(VolumeException.class)
                .hasMessageStartingWith("MountVolume.SetUp failed for volume \"pv\" : mount failed: exit status ")
                .hasMessageContaining("Mounting arguments: -t nfs -o nfsvers=4,port=1,retry=0 127.0.0.1:/exports ");
    }

    @Test
    void aHostPathOfTheWrongTypeIsTold() {
        bind(new PersistentVolumeSpecBuilder()
                .withNewHostPath("/no/such/folder", "Directory")
                .build());
        refused(
                byClaim,
                "MountVolume.SetUp failed for volume \"pv\" : hostPath type check failed: /no/such/folder is not a"
                        + " directory");
    }

    @Test
    void aClaimThatIsMissingOrNotBoundIsTold() {
        refused(
                byClaim,
                UNPROCESSED + "error processing PVC ns/c: failed to fetch PVC from API server: persistentvolumeclaim"
                        + " \"c\" not found");
        client.resources(PersistentVolumeClaim.class).create(claim());
        refused(byClaim, UNPROCESSED + "error processing PVC ns/c: PVC is not bound");
    }

    @Test
    void aVolumeThatBelongsToAnotherClaimIsNotGiven() {
        bind(new PersistentVolumeSpecBuilder().withNewHostPath("/etc", "").build());
        PersistentVolume volume = client.resources(PersistentVolume.class).get("", "pv");
        client.resources(PersistentVolume.class)
                .update(new PersistentVolumeBuilder(volume)
                        .editSpec()
                        .editClaimRef()
                        .withUid("another")
                        .endClaimRef()
                        .endSpec()
                        .build());
        refused(byClaim, UNPROCESSED + "error processing PVC ns/c: PV pv is not bound to this claim");
    }

    @Test
    void anEphemeralVolumeMustBeThePodsOwn() {
        client.resources(PersistentVolumeClaim.class)
                .create(new PersistentVolumeClaimBuilder(claim())
                        .editMetadata()
                        .withName("p-v")
                        .endMetadata()
                        .build());
        Volume ephemeral = new VolumeBuilder()
                .withName("v")
                .withNewEphemeral()
                .endEphemeral()
                .build();
        refused(ephemeral, UNPROCESSED + "PVC \"ns/p-v\" was not created for pod \"ns/p\" (pod is not owner)");
    }

    @Test
    void kindsWithoutADriverAreTold() {
        refused(
                new VolumeBuilder()
                        .withName("v")
                        .withNewRbd()
                        .withImage("foo")
                        .endRbd()
                        .build(),
                UNPROCESSED + "failed to get Plugin from volumeSpec for volume \"v\" err=no volume plugin matched");
        bind(new PersistentVolumeSpecBuilder()
                .withNewAwsElasticBlockStore()
                .withVolumeID("vol-1")
                .endAwsElasticBlockStore()
                .build());
        refused(
                byClaim,
                "MountVolume.MountDevice failed for volume \"pv\" : kubernetes.io/csi: attacher.MountDevice failed to"
                        + " create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered"
                        + " CSI drivers");
    }

    @Test
    void aVolumeForOnePodWaitsUntilTheOtherPodHasEnded() throws IOException {
        Path data = Files.createDirectory(home.resolve("data"));
        bind(new PersistentVolumeSpecBuilder()
                .withAccessModes("ReadWriteOncePod")
                .withNewLocal()
                .withPath(data.toString())
                .endLocal()
                .build());
        Pod first = pod(byClaim, new ContainerBuilder().build());
        Pod second =
                new PodBuilder(first).editMetadata().withUid("u2").endMetadata().build();
        String refusal =
                "MountVolume.SetUp failed for volume \"pv\" : volume uses the ReadWriteOncePod access mode and is"
                        + " already in use by another pod";

        assertThat(setUp(first)).isEqualTo(data);
        assertThat(setUp(first)).as("again").isEqualTo(data);
        assertThatThrownBy(() -> setUp(second)).hasMessage(refusal);
        begin();
        assertThatThrownBy(() -> setUp(second))
                .as("known after a restart of the agent")
                .hasMessage(refusal);
        volumes.tearDown("u");
        assertThat(setUp(second)).isEqualTo(data);
        volumes.tearDown("u2");
        assertThat(setUp(first)).isEqualTo(data);
    }

    @Test
    void volumesOfSharedModesMayBeUsedByManyPodsOfTheNode() throws IOException {
        Path data = Files.createDirectory(home.resolve("data"));
        bind(new PersistentVolumeSpecBuilder()
                .withAccessModes("ReadWriteOnce", "ReadWriteOncePod")
                .withNewLocal()
                .withPath(data.toString())
                .endLocal()
                .build());
        Pod first = pod(byClaim, new ContainerBuilder().build());
        assertThat(setUp(first)).isEqualTo(data);
        assertThat(setUp(new PodBuilder(first)
                        .editMetadata()
                        .withUid("u2")
                        .endMetadata()
                        .build()))
                .isEqualTo(data);
    }

    @Test
    void foldersAreMountedAndDevicesAreMappedAndNeitherTheOtherWay() {
        bind(new PersistentVolumeSpecBuilder()
                .withVolumeMode("Block")
                .withNewLocal()
                .withPath("/no/such/device")
                .endLocal()
                .build());
        Container asFolder = new ContainerBuilder()
                .addNewVolumeMount()
                .withName("v")
                .endVolumeMount()
                .build();
        Container asDevice =
                new ContainerBuilder().addNewVolumeDevice("/dev/data", "v").build();
        assertThatThrownBy(() -> setUp(pod(byClaim, asFolder)))
                .hasMessage(UNPROCESSED + "volume v has volumeMode Block, but is specified in volumeMounts")
                .extracting(e -> ((VolumeException) e).reason())
                .isEqualTo("FailedMount");
        assertThatThrownBy(() -> setUp(pod(byClaim, asDevice)))
                .hasMessage(
                        "MapVolume.MapBlockVolume failed for volume \"pv\" : path \"/no/such/device\" does not exist")
                .extracting(e -> ((VolumeException) e).reason())
                .isEqualTo("FailedMapVolume");
        change(spec -> spec.withNewLocal().withPath(home.toString()).endLocal());
        assertThatThrownBy(() -> setUp(pod(byClaim, asDevice)))
                .hasMessage("MapVolume.MapBlockVolume failed for volume \"pv\" : path \"" + home
                        + "\" is not a block device");
        change(spec -> spec.withVolumeMode("Filesystem"));
        assertThatThrownBy(() -> setUp(pod(byClaim, asDevice)))
                .hasMessage(UNPROCESSED + "volume v has volumeMode Filesystem, but is specified in volumeDevices");
        change(spec -> spec.withVolumeMode("Block").withLocal(null).withNewHostPath("/etc", ""));
        assertThatThrownBy(() -> setUp(pod(byClaim, asDevice)))
                .hasMessage("MapVolume.FindMapperPluginBySpec failed for volume \"pv\" : no block volume plugin"
                        + " matched");
    }

    @Test
    void aDeviceIsGivenAsItIsOrForReadingOnly() {
        Container container = new ContainerBuilder()
                .withName("main")
                .addNewVolumeDevice("/dev/data", "v")
                .build();
        Map<String, Path> places = Map.of("v", Path.of("/dev/loop7"));
        assertThat(ContainerDevices.of(pod(byClaim, container), container, places))
                .containsExactly(new Device(Path.of("/dev/loop7"), "/dev/data", "mrw"));
        Volume readOnly = new VolumeBuilder(byClaim)
                .editPersistentVolumeClaim()
                .withReadOnly(true)
                .endPersistentVolumeClaim()
                .build();
        assertThat(ContainerDevices.of(pod(readOnly, container), container, places))
                .containsExactly(new Device(Path.of("/dev/loop7"), "/dev/data", "r"));
        assertThatThrownBy(() -> ContainerDevices.of(pod(byClaim, container), container, Map.of()))
                .hasMessage("cannot find volume \"v\" to pass into container \"main\"");
    }

    private void change(UnaryOperator<PersistentVolumeSpecBuilder> change) {
        PersistentVolume volume = client.resources(PersistentVolume.class).get("", "pv");
        volume.setSpec(
                change.apply(new PersistentVolumeSpecBuilder(volume.getSpec())).build());
        client.resources(PersistentVolume.class).update(volume);
    }

    private void refused(Volume volume, String message) {
        assertThatThrownBy(() -> setUp(volume))
                .isInstanceOf(VolumeException.class)
                .hasMessage(message);
    }

    private Path setUp(Volume volume) {
        return setUp(pod(volume, new ContainerBuilder().build()));
    }

    private Path setUp(Pod pod) {
        return volumes.setUp(pod, new DownwardValues(pod, List.of(), List.of(), Map.of()))
                .get("v");
    }

    private static Pod pod(Volume volume, Container container) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid("u")
                .endMetadata()
                .withNewSpec()
                .withVolumes(volume)
                .withContainers(container)
                .endSpec()
                .build();
    }

    private static PersistentVolumeClaim claim() {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("c")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
    }

    private void bind(PersistentVolumeSpec source) {
        PersistentVolumeClaim made = client.resources(PersistentVolumeClaim.class)
                .create(new PersistentVolumeClaimBuilder(claim())
                        .editSpec()
                        .withVolumeName("pv")
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Bound")
                        .endStatus()
                        .build());
        client.resources(PersistentVolume.class)
                .create(new PersistentVolumeBuilder()
                        .withNewMetadata()
                        .withName("pv")
                        .endMetadata()
                        .withSpec(source)
                        .editSpec()
                        .withNewClaimRef()
                        .withNamespace("ns")
                        .withName("c")
                        .withUid(made.getMetadata().getUid())
                        .endClaimRef()
                        .endSpec()
                        .build());
    }
}
