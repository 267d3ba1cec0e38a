package io.argosy.controllers.volume;

import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.controller.Controller;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.volume.attachdetach.AttachDetach;
import io.argosy.controllers.volume.binder.ClaimBinder;
import io.argosy.controllers.volume.binder.VolumeKeeper;
import io.argosy.controllers.volume.ephemeral.EphemeralClaims;
import io.argosy.controllers.volume.expand.VolumeExpansion;
import io.argosy.controllers.volume.protection.AttributesClassProtection;
import io.argosy.controllers.volume.protection.ClaimProtection;
import io.argosy.controllers.volume.protection.VolumeProtection;
import io.argosy.controllers.volume.provisioner.LocalPlacement;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The control loops of persistent storage, each under its own identity. */
public final class VolumeControllers {
    private VolumeControllers() {}

    public static List<Controller> all(
            Function<String, Client> clients,
            Informers informers,
            Clock clock,
            BiFunction<String, String, EventRecorder> events) {
        Client binder = clients.apply("persistent-volume-binder");
        EventRecorder binderEvents = events.apply("persistent-volume-binder", "persistentvolume-controller");
        ClaimUsers users = new ClaimUsers(informers);
        return List.of(
                ClaimBinder.controller(binder, informers, clock, binderEvents, users),
                VolumeKeeper.controller(binder, informers, clock, binderEvents),
                LocalPlacement.controller(binder, informers, clock, users),
                ClaimProtection.controller(clients.apply("pvc-protection-controller"), informers, clock, users),
                VolumeProtection.controller(clients.apply("pv-protection-controller"), informers, clock),
                AttributesClassProtection.controller(
                        clients.apply("volumeattributesclass-protection-controller"), informers, clock),
                VolumeExpansion.controller(
                        clients.apply("expand-controller"),
                        informers,
                        clock,
                        events.apply("expand-controller", "volume_expand")),
                EphemeralClaims.controller(
                        clients.apply("ephemeral-volume-controller"),
                        informers,
                        clock,
                        events.apply("ephemeral-volume-controller", "ephemeral_volume")),
                AttachDetach.controller(
                        clients.apply("attachdetach-controller"),
                        informers,
                        clock,
                        events.apply("attachdetach-controller", "attachdetach-controller"),
                        users));
    }
}
