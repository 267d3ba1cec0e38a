package io.argosy.controllers.volume.ephemeral;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Owners;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.volume.ClaimUsers;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimTemplate;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;
import java.util.Optional;

/** Makes the claims of volumes that live and die with their pod. */
public final class EphemeralClaims implements Reconciler {
    private final Resources<PersistentVolumeClaim> claimResources;
    private final Informer<Pod> pods;
    private final Informer<PersistentVolumeClaim> claims;
    private final EventRecorder events;

    private EphemeralClaims(Client client, Informers informers, EventRecorder events) {
        claimResources = client.resources(PersistentVolumeClaim.class);
        pods = informers.of(Pod.class);
        claims = informers.of(PersistentVolumeClaim.class);
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named("ephemeral-volume-controller", informers, clock)
                .maps(Pod.class, EphemeralClaims::concernedBy)
                .owns(PersistentVolumeClaim.class, Pod.class)
                .reconciler(new EphemeralClaims(client, informers, events));
    }

    private static List<NamespacedName> concernedBy(Pod pod) {
        return pod.getSpec().getVolumes().stream().anyMatch(volume -> volume.getEphemeral() != null)
                ? List.of(NamespacedName.of(
                        pod.getMetadata().getNamespace(), pod.getMetadata().getName()))
                : List.of();
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Pod pod = pods.get(key).orElse(null);
        if (pod == null || Pods.isDeleting(pod) || Pods.isTerminal(pod)) {
            return Result.done();
        }
        for (Volume volume : pod.getSpec().getVolumes()) {
            if (volume.getEphemeral() != null && volume.getEphemeral().getVolumeClaimTemplate() != null) {
                try {
                    provide(pod, volume);
                } catch (RuntimeException e) {
                    if (Refusals.isNamespaceTerminating(e)) {
                        return Result.done();
                    }
                    events.event(
                            pod,
                            EventRecorder.Type.Warning,
                            "FailedBinding",
                            "ephemeral volume " + volume.getName() + ": " + e.getMessage());
                    throw e;
                }
            }
        }
        return Result.done();
    }

    private void provide(Pod pod, Volume volume) {
        String namespace = pod.getMetadata().getNamespace();
        String name = ClaimUsers.claimName(pod, volume);
        Optional<PersistentVolumeClaim> found =
                claims.get(NamespacedName.of(namespace, name)).or(() -> claimResources.find(namespace, name));
        if (found.isEmpty()) {
            claimResources.create(claim(pod, volume));
        } else if (!Owners.isControlledBy(found.get(), pod)) {
            throw new IllegalStateException("PVC \"" + namespace + "/" + name + "\" was not created for pod \""
                    + namespace + "/" + pod.getMetadata().getName() + "\" (pod is not owner)");
        }
    }

    static PersistentVolumeClaim claim(Pod pod, Volume volume) {
        PersistentVolumeClaimTemplate template = volume.getEphemeral().getVolumeClaimTemplate();
        ObjectMeta said = template.getMetadata() == null ? new ObjectMeta() : template.getMetadata();
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(ClaimUsers.claimName(pod, volume))
                .withLabels(said.getLabels())
                .withAnnotations(said.getAnnotations())
                .withOwnerReferences(Owners.controlledBy(pod))
                .endMetadata()
                .withSpec(template.getSpec())
                .build();
    }
}
