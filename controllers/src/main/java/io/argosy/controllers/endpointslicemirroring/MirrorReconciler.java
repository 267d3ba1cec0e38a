package io.argosy.controllers.endpointslicemirroring;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.endpointslice.ManagedSlices;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;

/** Keeps slices for the Endpoints that people write by hand, for services that choose no pods. */
public final class MirrorReconciler implements Reconciler {
    private final Informer<Service> services;
    private final Informer<Endpoints> endpoints;
    private final ManagedSlices slices;
    private final EventRecorder events;

    private MirrorReconciler(Client client, Informers informers, EventRecorder events) {
        services = informers.of(Service.class);
        endpoints = informers.of(Endpoints.class);
        slices = new ManagedSlices(Mirror.CONTROLLER, client, informers, events);
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        MirrorReconciler reconciler = new MirrorReconciler(client, informers, events);
        return Controller.named("endpointslicemirroring-controller", informers, clock)
                .watches(Endpoints.class)
                .watches(Service.class)
                .maps(EndpointSlice.class, reconciler.slices::service)
                .reconciler(reconciler);
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Endpoints written = endpoints.get(key).orElse(null);
        List<EndpointSlice> existing = slices.of(key);
        boolean wanted = written != null
                && written.getMetadata().getDeletionTimestamp() == null
                && Mirror.isWanted(written)
                && services.get(key).filter(MirrorReconciler::choosesNoPods).isPresent();
        if (!wanted) {
            slices.delete(existing);
            return Result.done();
        }
        Mirror mirror = Mirror.of(written, existing);
        if (mirror.skipped() > 0) {
            events.event(
                    written,
                    EventRecorder.Type.Warning,
                    "TooManyAddressesToMirror",
                    "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. "
                            + mirror.skipped() + " addresses were skipped");
        }
        slices.write(
                new ManagedSlices.Change(mirror.create(), mirror.update(), mirror.delete()),
                written,
                "Error updating EndpointSlices for Endpoints " + key);
        return Result.done();
    }

    private static boolean choosesNoPods(Service service) {
        return service.getSpec().getSelector() == null
                || service.getSpec().getSelector().isEmpty();
    }
}
