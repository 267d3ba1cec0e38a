package io.argosy.controllers.endpointslice;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Map;

/** The EndpointSlices that bear one controller's name: which service each belongs to, and the hands that write them. */
public final class ManagedSlices {
    private final String manager;
    private final Resources<EndpointSlice> resources;
    private final Informer<EndpointSlice> slices;
    private final EventRecorder events;

    public ManagedSlices(String manager, Client client, Informers informers, EventRecorder events) {
        this.manager = manager;
        this.events = events;
        resources = client.resources(EndpointSlice.class);
        slices = informers.of(EndpointSlice.class);
        slices.addIndex(
                manager,
                slice -> service(slice).stream().map(NamespacedName::toString).toList());
    }

    /** The service that a slice belongs to; none if another controller manages it. */
    public List<NamespacedName> service(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        if (labels == null
                || !manager.equals(labels.get(SliceDiff.MANAGED_BY))
                || !labels.containsKey(SliceDiff.SERVICE_NAME)) {
            return List.of();
        }
        return List.of(NamespacedName.of(slice.getMetadata().getNamespace(), labels.get(SliceDiff.SERVICE_NAME)));
    }

    public List<EndpointSlice> of(NamespacedName service) {
        return slices.byIndex(manager, service.toString());
    }

    /** What is to be done to the slices of a service. */
    public record Change(List<EndpointSlice> create, List<EndpointSlice> update, List<EndpointSlice> delete) {}

    /**
     * Carries a change out; what goes wrong is told as an event of the subject, unless its namespace is on its way out.
     *
     * @param failure how the event's message begins
     */
    public void write(Change change, HasMetadata subject, String failure) {
        try {
            change.create().forEach(resources::create);
            change.update().forEach(resources::update);
            delete(change.delete());
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return;
            }
            if (!e.is(Reason.Conflict)) {
                events.event(
                        subject,
                        EventRecorder.Type.Warning,
                        "FailedToUpdateEndpointSlices",
                        failure + ": " + e.getMessage());
            }
            throw e;
        }
    }

    public void delete(List<EndpointSlice> unwanted) {
        for (EndpointSlice slice : unwanted) {
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
}
