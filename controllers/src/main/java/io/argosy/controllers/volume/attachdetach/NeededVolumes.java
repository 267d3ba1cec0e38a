package io.argosy.controllers.volume.attachdetach;

import io.argosy.api.NamespacedName;
import io.argosy.api.names.CsiVolume;
import io.argosy.client.Owners;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.volume.ClaimUsers;
import io.argosy.controllers.volume.Claims;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSIDriverSpec;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What should be: which volumes the pods of a node need attached there, as the caches tell it. */
final class NeededVolumes {
    private static final String CLAIMING = "claiming-on-node";
    private static final String BY_HANDLE = "csi-volume";
    private static final String BY_VOLUME = "volume";

    private final Informer<Pod> pods;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Informer<CSIDriver> drivers;
    private final Informer<VolumeAttachment> attachments;
    private final ClaimUsers users;

    NeededVolumes(Informers informers, ClaimUsers users) {
        pods = informers.of(Pod.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        drivers = informers.of(CSIDriver.class);
        attachments = informers.of(VolumeAttachment.class);
        this.users = users;
        pods.addIndex(CLAIMING, NeededVolumes::nodesOf);
        volumes.addIndex(
                BY_HANDLE,
                volume -> Attachable.from(volume)
                        .map(attachable -> List.of(attachable.csi().uniqueName()))
                        .orElse(List.of()));
        attachments.addIndex(BY_VOLUME, attachment -> List.of(Attachment.volumeOf(attachment)));
    }

    /** The needs of a node, each with all its pods. */
    List<Need> on(String node) {
        Map<CsiVolume, Need> needs = new LinkedHashMap<>();
        for (Pod pod : pods.byIndex(CLAIMING, node)) {
            if (!isOver(pod)) {
                for (Attachable volume : attachable(pod)) {
                    needs.computeIfAbsent(
                                    volume.csi(),
                                    csi -> new Need(
                                            volume,
                                            new ArrayList<>(),
                                            volume.exclusive() ? elsewhere(volume, node) : List.of()))
                            .pods()
                            .add(pod);
                }
            }
        }
        return List.copyOf(needs.values());
    }

    /** The node that a pod with claims is on, if it is on one; other pods need nothing attached. */
    static Collection<String> nodesOf(Pod pod) {
        String node = Pods.nodeName(pod);
        return node.isEmpty() || ClaimUsers.claimsOf(pod).isEmpty() ? List.of() : List.of(node);
    }

    /** The nodes with pods that name the claim. */
    Set<String> nodesOf(PersistentVolumeClaim claim) {
        Set<String> nodes = new TreeSet<>();
        users.of(claim).forEach(pod -> nodes.addAll(nodesOf(pod)));
        return nodes;
    }

    Set<String> nodesOf(PersistentVolume volume) {
        return claimOf(volume).map(this::nodesOf).orElse(Set.of());
    }

    /** The node of an attachment, and those that may wait for the volume. */
    Set<String> nodesOf(VolumeAttachment attachment) {
        Set<String> nodes = new TreeSet<>();
        nodes.add(Attachment.nodeOf(attachment));
        volumes.get(NamespacedName.cluster(Attachment.volumeOf(attachment)))
                .ifPresent(volume -> sameAs(volume).forEach(same -> nodes.addAll(nodesOf(same))));
        return nodes;
    }

    Set<String> nodesOf(CSIDriver driver) {
        String name = driver.getMetadata().getName();
        Set<String> nodes = new TreeSet<>();
        for (PersistentVolume volume : volumes.list()) {
            if (Attachable.from(volume)
                    .filter(attachable -> attachable.csi().driver().equals(name))
                    .isPresent()) {
                nodes.addAll(nodesOf(volume));
            }
        }
        return nodes;
    }

    /**
     * Whether a pod needs nothing any more: it is finished, or on its way out and nothing in it runs. What the node has still mounted for
     * it the node says itself.
     */
    static boolean isOver(Pod pod) {
        PodStatus status = pod.getStatus();
        return Pods.isTerminal(pod)
                || Pods.isDeleting(pod)
                        && (status == null
                                || noneRuns(status.getInitContainerStatuses())
                                        && noneRuns(status.getContainerStatuses())
                                        && noneRuns(status.getEphemeralContainerStatuses()));
    }

    private static boolean noneRuns(List<ContainerStatus> containers) {
        return containers == null
                || containers.stream()
                        .allMatch(container -> container.getState() != null
                                && (container.getState().getTerminated() != null
                                        || container.getState().getWaiting() != null));
    }

    private List<Attachable> attachable(Pod pod) {
        List<Attachable> found = new ArrayList<>();
        for (Volume volume : pod.getSpec().getVolumes()) {
            bound(pod, volume)
                    .flatMap(Attachable::from)
                    .filter(this::mustBeAttached)
                    .filter(attachable -> !found.contains(attachable))
                    .ifPresent(found::add);
        }
        return found;
    }

    /** The volume behind a pod's claim, when both sides say that they belong together. */
    private Optional<PersistentVolume> bound(Pod pod, Volume volume) {
        String name = ClaimUsers.claimName(pod, volume);
        return name == null
                ? Optional.empty()
                : claims.get(NamespacedName.of(pod.getMetadata().getNamespace(), name))
                        .filter(claim -> volume.getEphemeral() == null || Owners.isControlledBy(claim, pod))
                        .filter(claim -> Claims.phase(claim).equals("Bound"))
                        .flatMap(claim -> volumes.get(NamespacedName.cluster(
                                        Claims.text(claim.getSpec().getVolumeName())))
                                .filter(found -> found.getSpec().getClaimRef() != null
                                        && Objects.equals(
                                                found.getSpec().getClaimRef().getUid(),
                                                claim.getMetadata().getUid())));
    }

    /** A driver that nobody has described is taken to need it. */
    private boolean mustBeAttached(Attachable volume) {
        return drivers.get(NamespacedName.cluster(volume.csi().driver()))
                .map(CSIDriver::getSpec)
                .map(CSIDriverSpec::getAttachRequired)
                .orElse(true);
    }

    private List<Need.Holder> elsewhere(Attachable wanted, String node) {
        List<Need.Holder> holders = new ArrayList<>();
        for (PersistentVolume volume : volumes.byIndex(BY_HANDLE, wanted.csi().uniqueName())) {
            for (VolumeAttachment attachment :
                    attachments.byIndex(BY_VOLUME, volume.getMetadata().getName())) {
                String other = Attachment.nodeOf(attachment);
                if (!other.equals(node)) {
                    holders.add(new Need.Holder(
                            other,
                            Attachment.isAttached(attachment) && !Claims.isDeleting(attachment),
                            Attachment.error(attachment) != null && !Claims.isDeleting(attachment),
                            usersOn(other, volume)));
                }
            }
        }
        return holders;
    }

    private List<Pod> usersOn(String node, PersistentVolume volume) {
        return claimOf(volume).map(users::of).orElse(List.of()).stream()
                .filter(pod -> Pods.nodeName(pod).equals(node) && !isOver(pod))
                .toList();
    }

    private List<PersistentVolume> sameAs(PersistentVolume volume) {
        return Attachable.from(volume)
                .map(attachable -> volumes.byIndex(BY_HANDLE, attachable.csi().uniqueName()))
                .orElse(List.of());
    }

    private Optional<PersistentVolumeClaim> claimOf(PersistentVolume volume) {
        var reference = volume.getSpec().getClaimRef();
        return reference == null
                ? Optional.empty()
                : claims.get(NamespacedName.of(reference.getNamespace(), reference.getName()));
    }
}
