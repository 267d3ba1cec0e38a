package io.argosy.node.provisioner;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler.Result;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.node.files.FileFailure;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The provisioner {@code argosy.io/local}: makes volumes as folders on the disks of the nodes of this process, and removes them when
 * they are given back. Every process does that for its own nodes, since nobody else can reach their disks.
 */
public final class LocalProvisioner implements AutoCloseable {
    /** A disk that is full or broken is asked again after a while; the event says what is wrong with it. */
    private static final Duration RETRY = Duration.ofSeconds(15);

    private final Function<String, Optional<Disk>> disks;
    private final Resources<PersistentVolume> volumeResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Informer<StorageClass> classes;
    private final Informer<Node> nodes;
    private final EventRecorder events;
    private final Controller making;
    private final Controller removing;

    /** The function knows the disk of each node that this process looks after, and of no other. */
    public LocalProvisioner(
            Client client,
            Informers informers,
            Clock clock,
            EventRecorder events,
            Function<String, Optional<Disk>> disks) {
        this.disks = disks;
        this.events = events;
        volumeResources = client.resources(PersistentVolume.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        classes = informers.of(StorageClass.class);
        nodes = informers.of(Node.class);
        making = Controller.named("local-provisioner", informers, clock)
                .watches(PersistentVolumeClaim.class)
                .reconciler(this::provide);
        removing = Controller.named("local-reclaimer", informers, clock)
                .watches(PersistentVolume.class)
                .reconciler(this::reclaim);
    }

    public void start() {
        making.start();
        removing.start();
    }

    public boolean idle() {
        return making.idle() && removing.idle();
    }

    @Override
    public void close() {
        making.close();
        removing.close();
    }

    private Result provide(NamespacedName key) {
        PersistentVolumeClaim claim = claims.get(key).orElse(null);
        String node = claim == null ? null : LocalVolumes.wantedOn(claim).orElse(null);
        Optional<Disk> disk = node == null ? Optional.empty() : disks.apply(node);
        if (disk.isEmpty()
                || volumes.get(NamespacedName.cluster(LocalVolumes.name(claim))).isPresent()) {
            return Result.done();
        }
        String className = LocalVolumes.className(claim);
        StorageClass by = className == null
                ? null
                : classes.get(NamespacedName.cluster(className)).orElse(null);
        if (by == null) {
            return Result.done();
        }
        try {
            make(claim, by, disk.get(), node);
            return Result.done();
        } catch (IOException e) {
            failed(claim, FileFailure.say(e));
            return Result.after(RETRY);
        }
    }

    private void make(PersistentVolumeClaim claim, StorageClass by, Disk disk, String node) throws IOException {
        Optional<String> objection = LocalVolumes.objection(claim);
        if (objection.isPresent()) {
            failed(claim, objection.get());
            return;
        }
        String name =
                claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName();
        events.event(
                claim,
                EventRecorder.Type.Normal,
                "Provisioning",
                "External provisioner is provisioning volume for claim \"" + name + "\"");
        Path folder = disk.make(LocalVolumes.folder(claim), LocalVolumes.size(claim));
        PersistentVolume volume = LocalVolumes.volume(claim, by, folder, new LocalVolumes.Place(node, hostname(node)));
        try {
            volumeResources.create(volume);
        } catch (ApiException e) {
            if (!e.is(Reason.AlreadyExists)) {
                failed(claim, e.getMessage());
                throw e;
            }
            return;
        }
        events.event(
                claim,
                EventRecorder.Type.Normal,
                "ProvisioningSucceeded",
                "Successfully provisioned volume " + volume.getMetadata().getName());
    }

    private void failed(PersistentVolumeClaim claim, String why) {
        events.event(
                claim,
                EventRecorder.Type.Warning,
                "ProvisioningFailed",
                "failed to provision volume with StorageClass \"" + LocalVolumes.className(claim) + "\": " + why);
    }

    private String hostname(String node) {
        return nodes.get(NamespacedName.cluster(node))
                .map(found -> found.getMetadata().getLabels())
                .map((Map<String, String> labels) -> labels.get("kubernetes.io/hostname"))
                .orElse(node);
    }

    private Result reclaim(NamespacedName key) {
        PersistentVolume volume = volumes.get(key).orElse(null);
        String node = volume == null ? null : LocalVolumes.nodeOf(volume).orElse(null);
        Optional<Disk> disk = node == null ? Optional.empty() : disks.apply(node);
        if (disk.isEmpty()) {
            return Result.done();
        }
        if (LocalVolumes.isToBeRemoved(volume)) {
            return remove(volume, disk.get());
        }
        if (!LocalVolumes.isToBeRemovedInTheEnd(volume) && LocalVolumes.isHeld(volume)) {
            letGo(volume);
        }
        return resize(volume, disk.get());
    }

    /** A claim that grew has made its volume grow; so has a quota that was lost or lowered by hand. */
    private Result resize(PersistentVolume volume, Disk disk) {
        try {
            disk.resize(Path.of(volume.getSpec().getLocal().getPath()), LocalVolumes.size(volume));
        } catch (IOException e) {
            events.event(volume, EventRecorder.Type.Warning, "VolumeResizeFailed", FileFailure.say(e));
            return Result.after(RETRY);
        }
        if (!LocalVolumes.isSized(volume)) {
            volumeResources.update(new PersistentVolumeBuilder(volume)
                    .editMetadata()
                    .addToAnnotations(LocalVolumes.SIZE, String.valueOf(LocalVolumes.size(volume)))
                    .endMetadata()
                    .build());
        }
        return Result.done();
    }

    /** The folder first: as long as the object is there, somebody knows that something is left to remove. */
    private Result remove(PersistentVolume volume, Disk disk) {
        try {
            disk.remove(Path.of(volume.getSpec().getLocal().getPath()));
        } catch (IOException e) {
            events.event(volume, EventRecorder.Type.Warning, "VolumeFailedDelete", FileFailure.say(e));
            return Result.after(RETRY);
        }
        try {
            PersistentVolume free = LocalVolumes.isHeld(volume) ? letGo(volume) : volume;
            if (volume.getMetadata().getDeletionTimestamp() == null) {
                volumeResources.delete(
                        "",
                        volume.getMetadata().getName(),
                        DeleteOptions.DEFAULT.ifUid(free.getMetadata().getUid()));
            }
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        return Result.done();
    }

    private PersistentVolume letGo(PersistentVolume volume) {
        return volumeResources.update(new PersistentVolumeBuilder(volume)
                .editMetadata()
                .removeFromFinalizers(LocalVolumes.FINALIZER)
                .endMetadata()
                .build());
    }
}
