package io.argosy.node.provisioner;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.node.files.SmallDisk;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders come and go with the claims they are made for. */
@Timeout(60)
class LocalProvisionerTest implements EventRecorder {
    @TempDir
    Path root;

    @TempDir
    Path image;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();
    private final SharedInformers informers = new SharedInformers(api, clock);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<String> deeds = new CopyOnWriteArrayList<>();
    private volatile boolean tooSmall;
    private LocalProvisioner provisioner;

    @BeforeEach
    void start() {
        for (String policy : List.of("Delete", "Retain")) {
            client.resources(StorageClass.class)
                    .create(new StorageClassBuilder()
                            .withNewMetadata()
                            .withName(policy.toLowerCase(Locale.ROOT))
                            .endMetadata()
                            .withProvisioner("argosy.io/local")
                            .withReclaimPolicy(policy)
                            .build());
        }
        provisioner = new LocalProvisioner(client, informers, clock, this, node -> switch (node) {
            case "n1" -> Optional.of(new FolderDisk(root));
            case "noted" -> Optional.of(new NotingDisk());
            default -> Optional.empty();
        });
        provisioner.start();
        informers.start();
    }

    @AfterEach
    void stop() {
        provisioner.close();
        informers.close();
    }

    @Test
    void aClaimGetsAFolderOnItsNode() {
        PersistentVolumeClaim claim = create(claim("c", "delete", "n1"));
        PersistentVolume volume = awaitVolume(claim);
        assertThat(Path.of(volume.getSpec().getLocal().getPath()))
                .isDirectory()
                .hasParent(root)
                .hasFileName("pvc-" + claim.getMetadata().getUid() + "_default_c");
        assertThat(volume.getSpec().getClaimRef().getUid())
                .isEqualTo(claim.getMetadata().getUid());
        assertThat(volume.getSpec().getPersistentVolumeReclaimPolicy()).isEqualTo("Delete");
        assertThat(volume.getSpec()
                        .getNodeAffinity()
                        .getRequired()
                        .getNodeSelectorTerms()
                        .getFirst()
                        .getMatchExpressions()
                        .getFirst()
                        .getValues())
                .containsExactly("n1");
        eventually(
                "told",
                () -> events.contains("c ProvisioningSucceeded: Successfully provisioned volume "
                        + volume.getMetadata().getName()));
    }

    @Test
    void aClassMayBeNamedByTheAnnotationOfOldManifests() {
        PersistentVolumeClaim claim = claim("old", null, "n1");
        claim.getMetadata().getAnnotations().put("volume.beta.kubernetes.io/storage-class", "retain");
        PersistentVolume volume = awaitVolume(create(claim));
        assertThat(volume.getSpec().getPersistentVolumeReclaimPolicy()).isEqualTo("Retain");
        assertThat(volume.getSpec().getStorageClassName()).isEqualTo("retain");
        PersistentVolumeClaim block = claim("block", null, "n1");
        block.getMetadata().getAnnotations().put("volume.beta.kubernetes.io/storage-class", "delete");
        block.getSpec().setVolumeMode("Block");
        create(block);
        eventually(
                "told",
                () -> events.stream()
                        .anyMatch(event -> event.startsWith("block ProvisioningFailed: failed to provision volume with"
                                + " StorageClass \"delete\": ")));
    }

    @Test
    void claimsOfOtherNodesAndOtherProvisionersAreNotItsBusiness() {
        create(claim("elsewhere", "delete", "n2"));
        create(claim("nowhere", "delete", null));
        awaitVolume(create(claim("here", "delete", "n1")));
        eventually("idle", provisioner::idle);
        assertThat(client.resources(PersistentVolume.class).list("", Map.of())).hasSize(1);
    }

    @Test
    void aReleasedVolumeIsRemovedWithItsFolderAndARetainedOneStays() throws IOException {
        PersistentVolume deleted = awaitVolume(create(claim("c", "delete", "n1")));
        PersistentVolume retained = awaitVolume(create(claim("k", "retain", "n1")));
        Path gone = Path.of(deleted.getSpec().getLocal().getPath());
        Path kept = Path.of(retained.getSpec().getLocal().getPath());
        Files.writeString(Files.createDirectory(gone.resolve("folder")).resolve("file"), "data");
        phase(retained, "Released");
        phase(deleted, "Released");
        eventually(
                "removed",
                () -> client.resources(PersistentVolume.class)
                        .find("", deleted.getMetadata().getName())
                        .isEmpty());
        assertThat(gone).doesNotExist();
        eventually("idle", provisioner::idle);
        assertThat(kept).exists();
    }

    @Test
    void aFolderIsMadeForWhatTheClaimAsksAndGrowsWithItsVolume() {
        PersistentVolume volume = awaitVolume(create(claim("c", "delete", "noted")));
        eventually("made", () -> deeds.contains("make " + (1L << 30)));
        eventually("bound", () -> deeds.contains("resize " + (1L << 30)));

        grow(volume);

        eventually("grown", () -> deeds.contains("resize " + (2L << 30)));
        eventually("noted on the volume", () -> sizeOf(volume).equals(String.valueOf(2L << 30)));
    }

    @Test
    void aVolumeThatCannotGrowSaysSoAndIsTriedAgain() {
        PersistentVolume volume = awaitVolume(create(claim("c", "delete", "noted")));
        eventually("made", () -> deeds.contains("resize " + (1L << 30)));
        tooSmall = true;
        grow(volume);
        eventually("told", () -> events.contains(volume.getMetadata().getName() + " VolumeResizeFailed: no quota"));
        assertThat(sizeOf(volume)).isEqualTo(String.valueOf(1L << 30));

        tooSmall = false;
        eventually("tried again", () -> {
            clock.advance(Duration.ofSeconds(15));
            return sizeOf(volume).equals(String.valueOf(2L << 30));
        });
    }

    private String sizeOf(PersistentVolume volume) {
        return client.resources(PersistentVolume.class)
                .get("", volume.getMetadata().getName())
                .getMetadata()
                .getAnnotations()
                .get("argosy.io/size");
    }

    /** Says what it was asked for. */
    private final class NotingDisk implements Disk {
        @Override
        public Path make(String name, long bytes) {
            deeds.add("make " + bytes);
            return root.resolve(name);
        }

        @Override
        public void resize(Path folder, long bytes) throws IOException {
            if (tooSmall) {
                throw new IOException("no quota");
            }
            deeds.add("resize " + bytes);
        }

        @Override
        public void remove(Path folder) {
            deeds.add("remove");
        }
    }

    @Test
    void aVolumeThatNamesSomebodyElsesFolderIsRefused(@TempDir Path other) throws IOException {
        Path precious = Files.createDirectory(other.resolve("pvc-precious"));
        PersistentVolume forged = new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName("forged")
                .addToAnnotations("pv.kubernetes.io/provisioned-by", "argosy.io/local")
                .addToAnnotations("argosy.io/node", "n1")
                .endMetadata()
                .withNewSpec()
                .withPersistentVolumeReclaimPolicy("Delete")
                .withNewLocal()
                .withPath(precious.toString())
                .endLocal()
                .endSpec()
                .build();
        phase(client.resources(PersistentVolume.class).create(forged), "Released");
        eventually("told", () -> events.stream().anyMatch(event -> event.startsWith("forged VolumeFailedDelete")));
        assertThat(precious).exists();
    }

    @Test
    void whatNoFolderCanBeIsSaid() {
        create(new PersistentVolumeClaimBuilder(claim("b", "delete", "n1"))
                .editSpec()
                .withVolumeMode("Block")
                .endSpec()
                .build());
        eventually(
                "told",
                () -> events.contains("b ProvisioningFailed: failed to provision volume with StorageClass"
                        + " \"delete\": argosy.io/local does not support block volume provisioning"));
    }

    @Test
    void aFullDiskIsToldAndTriedAgain() throws IOException {
        try (SmallDisk disk = SmallDisk.mount(image.resolve("disk.img"), root)) {
            disk.fill();
            PersistentVolumeClaim claim = create(claim("c", "delete", "n1"));
            String folder = "pvc-" + claim.getMetadata().getUid() + "_default_c";
            eventually(
                    "told",
                    () -> events.contains("c ProvisioningFailed: failed to provision volume with StorageClass"
                            + " \"delete\": " + root.resolve(folder) + ": no space left on device"));
            assertThat(client.resources(PersistentVolume.class).list("", Map.of()))
                    .isEmpty();

            disk.free();

            eventually("tried again", () -> {
                clock.advance(Duration.ofSeconds(15));
                return client.resources(PersistentVolume.class)
                        .find("", "pvc-" + claim.getMetadata().getUid())
                        .isPresent();
            });
            assertThat(root.resolve(folder)).isDirectory();
            eventually("idle", provisioner::idle);
        }
    }

    @Test
    void aVolumeWhoseFolderVanishedCanStillBeGivenBack() throws IOException {
        PersistentVolume volume = awaitVolume(create(claim("c", "delete", "n1")));
        Files.delete(Path.of(volume.getSpec().getLocal().getPath()));
        phase(volume, "Released");
        eventually(
                "removed",
                () -> client.resources(PersistentVolume.class)
                        .find("", volume.getMetadata().getName())
                        .isEmpty());
    }

    private PersistentVolumeClaim create(PersistentVolumeClaim claim) {
        return client.resources(PersistentVolumeClaim.class).create(claim);
    }

    private static PersistentVolumeClaim claim(String name, String className, String node) {
        PersistentVolumeClaimBuilder claim = new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToAnnotations("volume.kubernetes.io/storage-provisioner", "argosy.io/local")
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName(className)
                .withNewResources()
                .addToRequests("storage", new Quantity("1Gi"))
                .endResources()
                .endSpec();
        return node == null
                ? claim.build()
                : claim.editMetadata()
                        .addToAnnotations("volume.kubernetes.io/selected-node", node)
                        .endMetadata()
                        .build();
    }

    private PersistentVolume awaitVolume(PersistentVolumeClaim claim) {
        String name = "pvc-" + claim.getMetadata().getUid();
        eventually(
                "made",
                () -> client.resources(PersistentVolume.class).find("", name).isPresent());
        return client.resources(PersistentVolume.class).get("", name);
    }

    /** By patches, as the provisioner writes to the volume meanwhile. */
    private void phase(PersistentVolume volume, String phase) {
        ObjectNode patch = Json.object();
        patch.putObject("status").put("phase", phase);
        client.resources(PersistentVolume.class)
                .patchStatus("", volume.getMetadata().getName(), Resources.PatchType.MERGE, patch);
    }

    private void grow(PersistentVolume volume) {
        ObjectNode patch = Json.object();
        patch.putObject("spec").putObject("capacity").put("storage", "2Gi");
        client.resources(PersistentVolume.class)
                .patch("", volume.getMetadata().getName(), Resources.PatchType.MERGE, patch);
    }

    @Override
    public void event(ObjectReference about, Type type, String reason, String message) {
        events.add(about.getName() + " " + reason + ": " + message);
    }

    @Override
    public void event(HasMetadata about, Type type, String reason, String message) {
        events.add(about.getMetadata().getName() + " " + reason + ": " + message);
    }
}
