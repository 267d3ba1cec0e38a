package io.argosy.node.agent.volume;

import io.argosy.client.Client;
import io.argosy.client.NodeSelectors;
import io.argosy.client.Owners;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.files.FileFailure;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Persistent volumes that this node can reach, found through the claim a pod names. */
final class Claims {
    private static final String BLOCK = "Block";
    private static final String SOLE_USE = "ReadWriteOncePod";

    private final Client client;
    private final SoleUse soleUse;

    Claims(Client client, SoleUse soleUse) {
        this.client = client;
        this.soleUse = soleUse;
    }

    /**
     * Where a claim's data lies.
     *
     * @param ownable whether the pod's group may be made the owner of the data
     */
    record Place(Path path, boolean ownable) {}

    /** Makes the volume reachable; what must be mounted for that is mounted at the given path. */
    Place place(Pod pod, Volume volume, Path mountPoint) {
        PersistentVolume bound = bound(pod, volume);
        String name = bound.getMetadata().getName();
        PersistentVolumeSpec spec = bound.getSpec();
        checkMode(pod, volume, spec);
        checkAffinity(pod, name, spec);
        try {
            if (List.of(SOLE_USE).equals(spec.getAccessModes()) && !soleUse.take(PodFacts.uid(pod), name)) {
                throw new VolumeException(
                        "volume uses the ReadWriteOncePod access mode and is already in use by another pod");
            }
            if (BLOCK.equals(spec.getVolumeMode())) {
                return new Place(device(name, spec), false);
            }
            if (spec.getHostPath() != null) {
                Path path = Path.of(spec.getHostPath().getPath());
                return new Place(HostPaths.check(path, spec.getHostPath().getType()), false);
            }
            if (spec.getLocal() != null) {
                return new Place(local(name, Path.of(spec.getLocal().getPath())), true);
            }
            if (spec.getNfs() != null) {
                return new Place(
                        Nfs.mount(spec.getNfs(), isReadOnly(volume), spec.getMountOptions(), mountPoint), false);
            }
        } catch (IOException e) {
            throw failed("SetUp failed", name, FileFailure.say(e), e);
        } catch (VolumeException e) {
            throw e.isWhole() ? e : failed("SetUp failed", name, e.getMessage(), e);
        }
        throw Drivers.missing(volume.getName(), name, Drivers.of(spec));
    }

    private static boolean isReadOnly(Volume volume) {
        return volume.getPersistentVolumeClaim() != null
                && Boolean.TRUE.equals(volume.getPersistentVolumeClaim().getReadOnly());
    }

    /** The folder that {@link #place} made reachable, if it did. */
    Optional<Path> folder(Pod pod, Volume volume, Path mountPoint) {
        PersistentVolumeSpec spec;
        try {
            spec = bound(pod, volume).getSpec();
        } catch (VolumeException e) {
            return Optional.empty(); // it was there once, or never was
        }
        if (BLOCK.equals(spec.getVolumeMode())) {
            return Optional.empty();
        }
        return spec.getHostPath() != null
                ? Optional.of(Path.of(spec.getHostPath().getPath()))
                : spec.getLocal() != null
                        ? Optional.of(Path.of(spec.getLocal().getPath()))
                        : Optional.of(mountPoint).filter(Files::isDirectory);
    }

    /** The claim behind a volume: the one it names, or the one that was made for the pod. */
    static String name(Pod pod, Volume volume) {
        return volume.getEphemeral() != null
                ? PodFacts.name(pod) + "-" + volume.getName()
                : volume.getPersistentVolumeClaim().getClaimName();
    }

    private static void checkMode(Pod pod, Volume volume, PersistentVolumeSpec spec) {
        String mode = spec.getVolumeMode() == null ? "Filesystem" : spec.getVolumeMode();
        boolean block = BLOCK.equals(mode);
        String wrong = block && ContainerDevices.mounted(pod, volume.getName())
                ? "volumeMounts"
                : !block && ContainerDevices.wanted(pod, volume.getName()) ? "volumeDevices" : null;
        if (wrong != null) {
            throw VolumeException.unprocessed(
                    volume.getName(),
                    "volume " + volume.getName() + " has volumeMode " + mode + ", but is specified in " + wrong);
        }
    }

    /** The scheduler sees to it, but a pod may name its node itself. */
    private void checkAffinity(Pod pod, String name, PersistentVolumeSpec spec) {
        NodeSelector required =
                spec.getNodeAffinity() == null ? null : spec.getNodeAffinity().getRequired();
        if (required == null) {
            return;
        }
        String node = pod.getSpec().getNodeName();
        Map<String, String> labels = client.resources(Node.class)
                .find("", node)
                .map(found -> found.getMetadata().getLabels())
                .orElse(Map.of());
        if (!NodeSelectors.matches(required, node, labels)) {
            String why = "NodeAffinity check failed for volume \"" + name + "\" : no matching NodeSelectorTerms";
            throw BLOCK.equals(spec.getVolumeMode())
                    ? VolumeException.unmapped("MapVolume." + why)
                    : VolumeException.whole("MountVolume." + why, null);
        }
    }

    private static Path device(String volume, PersistentVolumeSpec spec) throws IOException {
        if (spec.getLocal() == null) {
            throw VolumeException.unmapped("MapVolume.FindMapperPluginBySpec failed for volume \"" + volume
                    + "\" : no block volume plugin matched");
        }
        Path path = Path.of(spec.getLocal().getPath());
        if (!HostPaths.isBlockDevice(path)) {
            throw VolumeException.unmapped("MapVolume.MapBlockVolume failed for volume \"" + volume + "\" : path \""
                    + path + "\" " + (Files.exists(path) ? "is not a block device" : "does not exist"));
        }
        return path;
    }

    private static Path local(String volume, Path path) {
        if (!Files.exists(path)) {
            throw failed("NewMounter initialization failed", volume, "path \"" + path + "\" does not exist", null);
        }
        return path;
    }

    private static VolumeException failed(String step, String volume, String why, Exception cause) {
        return VolumeException.whole("MountVolume." + step + " for volume \"" + volume + "\" : " + why, cause);
    }

    private PersistentVolume bound(Pod pod, Volume volume) {
        String namespace = PodFacts.namespace(pod);
        boolean ownedByPod = volume.getEphemeral() != null;
        String name = name(pod, volume);
        String trouble = "error processing PVC " + namespace + "/" + name + ": ";
        PersistentVolumeClaim claim = client.resources(PersistentVolumeClaim.class)
                .find(namespace, name)
                .orElseThrow(() -> VolumeException.unprocessed(
                        volume.getName(),
                        trouble + "failed to fetch PVC from API server: persistentvolumeclaim \"" + name
                                + "\" not found"));
        if (ownedByPod && !Owners.isControlledBy(claim, pod)) {
            throw VolumeException.unprocessed(
                    volume.getName(),
                    "PVC \"" + namespace + "/" + name + "\" was not created for pod \"" + namespace + "/"
                            + PodFacts.name(pod) + "\" (pod is not owner)");
        }
        if (claim.getMetadata().getDeletionTimestamp() != null) {
            throw VolumeException.unprocessed(volume.getName(), trouble + "PVC is being deleted");
        }
        String phase = claim.getStatus() == null ? null : claim.getStatus().getPhase();
        String volumeName = claim.getSpec().getVolumeName();
        if (!"Bound".equals(phase) || volumeName == null || volumeName.isEmpty()) {
            throw VolumeException.unprocessed(volume.getName(), trouble + "PVC is not bound");
        }
        PersistentVolume found = client.resources(PersistentVolume.class)
                .find("", volumeName)
                .orElseThrow(() -> VolumeException.unprocessed(
                        volume.getName(),
                        "error processing PV " + volumeName
                                + ": failed to fetch PV from API server: persistentvolume \"" + volumeName
                                + "\" not found"));
        var owner = found.getSpec().getClaimRef();
        if (owner == null || !claim.getMetadata().getUid().equals(owner.getUid())) {
            throw VolumeException.unprocessed(
                    volume.getName(), trouble + "PV " + volumeName + " is not bound to this claim");
        }
        return found;
    }
}
