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
import io.argosy.controllers.volume.ClaimUsers;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageClasses;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Finds a volume for every claim, or has one made, or says what the claim waits for. */
public final class ClaimBinder implements Reconciler, ClaimPlan.Surroundings {
    private static final String KIND = "PersistentVolumeClaim";
    private static final String UNBOUND = "unbound-class";
    /** Stands for the class of claims that name none; no class can be called so. */
    private static final String UNNAMED = "(unnamed)";

    private final Resources<PersistentVolume> volumeResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final StorageClasses classes;
    private final ClaimUsers users;
    private final Joint joint;
    private final Telling telling;

    private ClaimBinder(Client client, Informers informers, Clock clock, EventRecorder events, ClaimUsers users) {
        volumeResources = client.resources(PersistentVolume.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        classes = new StorageClasses(informers);
        joint = new Joint(client, clock);
        this.users = users;
        telling = new Telling(events);
        claims.addIndex(
                UNBOUND,
                claim -> Claims.wasBound(claim)
                        ? List.of()
                        : List.of(Claims.className(claim) == null ? UNNAMED : Claims.className(claim)));
    }

    public static Controller controller(
            Client client, Informers informers, Clock clock, EventRecorder events, ClaimUsers users) {
        ClaimBinder binder = new ClaimBinder(client, informers, clock, events, users);
        return Controller.named("persistentvolume-binder-controller", informers, clock)
                .watches(PersistentVolumeClaim.class)
                .maps(PersistentVolume.class, binder::concernedBy)
                .maps(StorageClass.class, binder::concernedBy)
                .maps(Pod.class, binder::concernedBy)
                .reconciler(binder);
    }

    private List<NamespacedName> concernedBy(PersistentVolume volume) {
        List<NamespacedName> keys = new ArrayList<>();
        var owner = volume.getSpec().getClaimRef();
        if (owner != null) {
            keys.add(NamespacedName.of(owner.getNamespace(), owner.getName()));
        } else {
            keys.addAll(unbound(Claims.className(volume)));
            if (Claims.className(volume).isEmpty()) {
                keys.addAll(unbound(UNNAMED));
            }
        }
        return keys;
    }

    private List<NamespacedName> concernedBy(StorageClass changed) {
        List<NamespacedName> keys =
                new ArrayList<>(unbound(changed.getMetadata().getName()));
        if (StorageClasses.isDefault(changed)) {
            keys.addAll(unbound(UNNAMED));
        }
        return keys;
    }

    private List<NamespacedName> unbound(String className) {
        return claims.byIndex(UNBOUND, className).stream().map(Claims::nameOf).toList();
    }

    private List<NamespacedName> concernedBy(Pod pod) {
        return ClaimUsers.claimsOf(pod).stream()
                .filter(name -> claims.get(name)
                        .filter(claim -> !Claims.wasBound(claim))
                        .isPresent())
                .toList();
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolumeClaim claim = claims.get(key).orElse(null);
        if (claim == null) {
            telling.forget(KIND, key.namespace(), key.name());
            return Result.done();
        }
        if (Claims.isDeleting(claim) && !Claims.wasBound(claim)) {
            return Result.done();
        }
        switch (ClaimPlan.of(claim, this)) {
            case ClaimPlan.Bind bind -> {
                joint.bind(bind.volume(), claim);
                telling.forget(KIND, key.namespace(), key.name());
            }
            case ClaimPlan.Provision provision -> {
                String by = provision.by().getProvisioner();
                if (joint.ask(claim, by)) {
                    telling.tell(
                            claim,
                            Told.normal(
                                    "ExternalProvisioning",
                                    "Waiting for a volume to be created either by the external provisioner '" + by
                                            + "' or manually by the system administrator. If volume creation is delayed,"
                                            + " please verify that the provisioner is running and correctly"
                                            + " registered."));
                }
            }
            case ClaimPlan.AssignClass assign -> joint.assignClass(claim, assign.name());
            case ClaimPlan.Wait wait -> {
                joint.report(claim, "Pending", null);
                wait.told().ifPresent(words -> telling.tell(claim, words));
            }
            case ClaimPlan.Lost lost -> {
                joint.report(claim, "Lost", null);
                telling.tell(claim, lost.told());
            }
        }
        return Result.done();
    }

    // ---- what the decision looks at ----

    /** The cache may lag behind; that a volume is gone is believed only from the server. */
    @Override
    public Optional<PersistentVolume> volume(String name) {
        return volumes.get(NamespacedName.cluster(name)).or(() -> volumeResources.find("", name));
    }

    @Override
    public Collection<PersistentVolume> volumes() {
        return volumes.list();
    }

    @Override
    public Optional<StorageClass> storageClass(String name) {
        return classes.find(name);
    }

    @Override
    public Optional<String> defaultClass() {
        return classes.defaultName();
    }

    @Override
    public List<String> waitingPods(PersistentVolumeClaim claim) {
        return users.of(claim).stream()
                .filter(pod -> Claims.text(pod.getSpec().getNodeName()).isEmpty())
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }
}
