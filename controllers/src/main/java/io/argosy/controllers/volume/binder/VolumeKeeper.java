package io.argosy.controllers.volume.binder;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.volume.Claims;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.List;
import java.util.Optional;

/** Keeps every volume's phase, and gives back the volumes of claims that are gone. */
public final class VolumeKeeper implements Reconciler {
    private static final String BY_CLAIM = "claim-reference";

    private final Resources<PersistentVolumeClaim> claimResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Joint joint;
    private final Telling telling;

    private VolumeKeeper(Client client, Informers informers, Clock clock, EventRecorder events) {
        claimResources = client.resources(PersistentVolumeClaim.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        joint = new Joint(client, clock);
        telling = new Telling(events);
        volumes.addIndex(BY_CLAIM, volume -> {
            ObjectReference owner = volume.getSpec().getClaimRef();
            return owner == null
                    ? List.of()
                    : List.of(NamespacedName.of(owner.getNamespace(), owner.getName())
                            .toString());
        });
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        VolumeKeeper keeper = new VolumeKeeper(client, informers, clock, events);
        return Controller.named("persistentvolume-controller", informers, clock)
                .watches(PersistentVolume.class)
                .maps(
                        PersistentVolumeClaim.class,
                        claim -> keeper
                                .volumes
                                .byIndex(BY_CLAIM, Claims.nameOf(claim).toString())
                                .stream()
                                .map(Claims::nameOf)
                                .toList())
                .reconciler(keeper);
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolume volume = volumes.get(key).orElse(null);
        if (volume == null) {
            telling.forget("PersistentVolume", "", key.name());
            return Result.done();
        }
        Optional<PersistentVolumeClaim> claim = owner(volume);
        switch (VolumePlan.of(volume, claim)) {
            case VolumePlan.Phase phase -> joint.phase(volume, phase.name(), "", "");
            case VolumePlan.Failed failed -> {
                joint.phase(
                        volume, "Failed", failed.told().reason(), failed.told().message());
                telling.tell(volume, failed.told());
            }
            case VolumePlan.Unbind unbind -> joint.unbind(volume);
            case VolumePlan.Wait wait -> {
                wait.aboutVolume().ifPresent(words -> telling.tell(volume, words));
                wait.aboutClaim().ifPresent(words -> telling.tell(claim.orElseThrow(), words));
            }
        }
        return Result.done();
    }

    /** The claim that the volume names; the cache may lag behind, so that it is gone is believed only from the server. */
    private Optional<PersistentVolumeClaim> owner(PersistentVolume volume) {
        ObjectReference owner = volume.getSpec().getClaimRef();
        if (owner == null || Claims.text(owner.getUid()).isEmpty()) {
            return Optional.empty();
        }
        return claims.get(NamespacedName.of(owner.getNamespace(), owner.getName()))
                .filter(claim -> isNamed(owner, claim))
                .or(() -> claimResources
                        .find(owner.getNamespace(), owner.getName())
                        .filter(claim -> isNamed(owner, claim)));
    }

    private static boolean isNamed(ObjectReference owner, PersistentVolumeClaim claim) {
        return owner.getUid().equals(claim.getMetadata().getUid());
    }
}
