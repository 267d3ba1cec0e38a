package io.argosy.node.provisioner;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What a volume on a node's disk looks like, and what keeps a claim from having one. */
final class LocalVolumes {
    static final String PROVISIONER = "argosy.io/local";
    /** On a volume: the node whose disk it is on. */
    static final String NODE = "argosy.io/node";
    /** On a volume: for how many bytes its folder is, as far as the disk can limit that; the capacity is what it should be. */
    static final String SIZE = "argosy.io/size";
    /** Holds a deleted volume until its folder is gone too. */
    static final String FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

    private static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
    private static final String ASKED = "volume.kubernetes.io/storage-provisioner";
    private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    private static final String CLASS_BETA = "volume.beta.kubernetes.io/storage-class";
    private static final int LONGEST_NAME = 255;

    private LocalVolumes() {}

    /** The node on whose disk the claim wants a volume; empty if it does not want one, or has one. */
    static Optional<String> wantedOn(PersistentVolumeClaim claim) {
        boolean open = text(claim.getSpec().getVolumeName()).isEmpty()
                && claim.getMetadata().getDeletionTimestamp() == null
                && PROVISIONER.equals(annotation(claim, ASKED));
        return open ? Optional.ofNullable(annotation(claim, SELECTED_NODE)) : Optional.empty();
    }

    /** Why no folder can be what the claim asks for; empty if one can. */
    static Optional<String> objection(PersistentVolumeClaim claim) {
        var spec = claim.getSpec();
        if (spec.getSelector() != null) {
            return Optional.of("claim Selector is not supported");
        }
        if ("Block".equals(spec.getVolumeMode())) {
            return Optional.of(PROVISIONER + " does not support block volume provisioning");
        }
        if (spec.getDataSource() != null || spec.getDataSourceRef() != null) {
            return Optional.of(PROVISIONER + " does not support data sources");
        }
        if (!text(spec.getVolumeAttributesClassName()).isEmpty()) {
            return Optional.of(PROVISIONER + " does not support volume attributes classes");
        }
        return Optional.empty();
    }

    /** The class a claim asks for, in manifests of long ago by an annotation; null if it leaves that open. */
    static String className(PersistentVolumeClaim claim) {
        String old = annotation(claim, CLASS_BETA);
        return old != null ? old : claim.getSpec().getStorageClassName();
    }

    static String name(PersistentVolumeClaim claim) {
        return FolderDisk.PREFIX + claim.getMetadata().getUid();
    }

    /** People who look into the disk find out whose data they see. */
    static String folder(PersistentVolumeClaim claim) {
        String name = name(claim) + "_" + claim.getMetadata().getNamespace() + "_"
                + claim.getMetadata().getName();
        return name.substring(0, Math.min(name.length(), LONGEST_NAME));
    }

    /** How many bytes the claim asks for. */
    static long size(PersistentVolumeClaim claim) {
        return bytes(claim.getSpec().getResources().getRequests());
    }

    /** How many bytes the volume is for. */
    static long size(PersistentVolume volume) {
        return bytes(volume.getSpec().getCapacity());
    }

    private static long bytes(Map<String, Quantity> amounts) {
        Quantity storage = amounts == null ? null : amounts.get("storage");
        return storage == null ? 0 : Quantity.getAmountInBytes(storage).longValue();
    }

    static PersistentVolume volume(PersistentVolumeClaim claim, StorageClass by, Path folder, Place place) {
        String policy = by.getReclaimPolicy() == null ? "Delete" : by.getReclaimPolicy();
        PersistentVolumeBuilder volume = new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(name(claim))
                .addToAnnotations(PROVISIONED_BY, PROVISIONER)
                .addToAnnotations(NODE, place.node())
                .addToAnnotations(SIZE, String.valueOf(size(claim)))
                .endMetadata()
                .withNewSpec()
                .addToCapacity(
                        "storage", claim.getSpec().getResources().getRequests().get("storage"))
                .withAccessModes(claim.getSpec().getAccessModes())
                .withPersistentVolumeReclaimPolicy(policy)
                .withStorageClassName(by.getMetadata().getName())
                .withMountOptions(by.getMountOptions())
                .withVolumeMode("Filesystem")
                .withNewClaimRef()
                .withApiVersion("v1")
                .withKind("PersistentVolumeClaim")
                .withNamespace(claim.getMetadata().getNamespace())
                .withName(claim.getMetadata().getName())
                .withUid(claim.getMetadata().getUid())
                .withResourceVersion(claim.getMetadata().getResourceVersion())
                .endClaimRef()
                .withNewLocal()
                .withPath(folder.toString())
                .endLocal()
                .withNewNodeAffinity()
                .withNewRequired()
                .addNewNodeSelectorTerm()
                .addNewMatchExpression()
                .withKey("kubernetes.io/hostname")
                .withOperator("In")
                .withValues(place.hostname())
                .endMatchExpression()
                .endNodeSelectorTerm()
                .endRequired()
                .endNodeAffinity()
                .endSpec();
        if (policy.equals("Delete")) {
            volume.editMetadata().addToFinalizers(FINALIZER).endMetadata();
        }
        return volume.build();
    }

    /** A node, and the label by which pods are sent to it. */
    record Place(String node, String hostname) {}

    /** The node whose disk the volume is on; empty if we did not make it. */
    static Optional<String> nodeOf(PersistentVolume volume) {
        return PROVISIONER.equals(annotation(volume, PROVISIONED_BY))
                        && volume.getSpec().getLocal() != null
                ? Optional.ofNullable(annotation(volume, NODE))
                : Optional.empty();
    }

    /** Whether it is known that the folder is for what the volume says. */
    static boolean isSized(PersistentVolume volume) {
        return String.valueOf(size(volume)).equals(annotation(volume, SIZE));
    }

    static boolean isHeld(PersistentVolume volume) {
        return volume.getMetadata().getFinalizers() != null
                && volume.getMetadata().getFinalizers().contains(FINALIZER);
    }

    /** The claim is gone and with it, as the policy says, the data. */
    static boolean isToBeRemoved(PersistentVolume volume) {
        String phase = volume.getStatus() == null ? "" : text(volume.getStatus().getPhase());
        boolean dropped = volume.getMetadata().getDeletionTimestamp() != null && !phase.equals("Bound");
        return isToBeRemovedInTheEnd(volume) && (phase.equals("Released") || dropped);
    }

    static boolean isToBeRemovedInTheEnd(PersistentVolume volume) {
        return "Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy());
    }

    private static String annotation(HasMetadata object, String name) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    private static String text(String value) {
        return value == null ? "" : value;
    }
}
