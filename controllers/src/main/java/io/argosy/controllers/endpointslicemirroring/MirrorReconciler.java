package io.argosy.controllers.endpointslicemirroring;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.endpointslice.SliceDiff;
import io.argosy.controllers.meta.Refusals;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Map;

/** Keeps slices for the Endpoints that people write by hand, for services that choose no pods. */
public final class MirrorReconciler implements Reconciler {
    private static final String MIRRORED = "mirrored";

    private final Resources<EndpointSlice> resources;
    private final Informer<Service> services;
    private final Informer<Endpoints> endpoints;
    private final Informer<EndpointSlice> slices;
    private final EventRecorder events;

    private MirrorReconciler(Client client, Informers informers, EventRecorder events) {
        resources = client.resources(EndpointSlice.class);
        services = informers.of(Service.class);
        endpoints = informers.of(Endpoints.class);
        slices = informers.of(EndpointSlice.class);
        slices.addIndex(
                MIRRORED,
                slice -> ours(slice).stream().map(NamespacedName::toString).toList());
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named("endpointslicemirroring-controller", informers, clock)
                .watches(Endpoints.class)
                .watches(Service.class)
                .maps(EndpointSlice.class, MirrorReconciler::ours)
                .reconciler(new MirrorReconciler(client, informers, events));
    }

    private static List<NamespacedName> ours(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        if (labels == null
                || !Mirror.CONTROLLER.equals(labels.get(SliceDiff.MANAGED_BY))
                || !labels.containsKey(SliceDiff.SERVICE_NAME)) {
            return List.of();
        }
        return List.of(NamespacedName.of(slice.getMetadata().getNamespace(), labels.get(SliceDiff.SERVICE_NAME)));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Endpoints written = endpoints.get(key).orElse(null);
        List<EndpointSlice> existing = slices.byIndex(MIRRORED, key.toString());
        boolean wanted = written != null
                && written.getMetadata().getDeletionTimestamp() == null
                && Mirror.isWanted(written)
                && services.get(key).filter(MirrorReconciler::choosesNoPods).isPresent();
        if (!wanted) {
            existing.forEach(this::delete);
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
        try {
            mirror.create().forEach(resources::create);
            mirror.update().forEach(resources::update);
            mirror.delete().forEach(this::delete);
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return Result.done();
            }
            if (!e.is(Reason.Conflict)) {
                events.event(
                        written,
                        EventRecorder.Type.Warning,
                        "FailedToUpdateEndpointSlices",
                        "Error updating EndpointSlices for Endpoints " + key + ": " + e.getMessage());
            }
            throw e;
        }
        return Result.done();
    }

    private static boolean choosesNoPods(Service service) {
        return service.getSpec().getSelector() == null
                || service.getSpec().getSelector().isEmpty();
    }

    private void delete(EndpointSlice slice) {
        try {
            resources.delete(
                    slice.getMetadata().getNamespace(), slice.getMetadata().getName(), DeleteOptions.DEFAULT);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }
}
