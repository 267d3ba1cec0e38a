package io.argosy.controllers.endpointslice;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.service.ServicePods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Keeps the EndpointSlices of every service that selects pods. */
public final class EndpointSliceReconciler implements Reconciler {
    private static final String BY_SERVICE = "service";

    private final Resources<EndpointSlice> resources;
    private final Informer<Service> services;
    private final Informer<EndpointSlice> slices;
    private final Informer<Node> nodes;
    private final ServicePods pods;
    private final EventRecorder events;

    private EndpointSliceReconciler(Client client, Informers informers, EventRecorder events) {
        resources = client.resources(EndpointSlice.class);
        services = informers.of(Service.class);
        nodes = informers.of(Node.class);
        slices = informers.of(EndpointSlice.class);
        slices.addIndex(
                BY_SERVICE,
                slice -> ours(slice).stream().map(NamespacedName::toString).toList());
        pods = new ServicePods(services, informers.of(Pod.class));
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        EndpointSliceReconciler reconciler = new EndpointSliceReconciler(client, informers, events);
        Controller.Builder builder = Controller.named("endpointslice-controller", informers, clock)
                .watches(Service.class)
                .maps(EndpointSlice.class, EndpointSliceReconciler::ours);
        informers.of(Pod.class).addHandler(reconciler.pods.wake(builder.queue()));
        informers.of(Node.class).addHandler(reconciler.wakeAll(builder.queue()));
        return builder.reconciler(reconciler);
    }

    private static List<NamespacedName> ours(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        if (labels == null
                || !SliceDiff.CONTROLLER.equals(labels.get(SliceDiff.MANAGED_BY))
                || !labels.containsKey(SliceDiff.SERVICE_NAME)) {
            return List.of();
        }
        return List.of(NamespacedName.of(slice.getMetadata().getNamespace(), labels.get(SliceDiff.SERVICE_NAME)));
    }

    /** A new node may be the one that pods already name, and a node's zone shows in its endpoints: both are rare. */
    private Informer.Handler<Node> wakeAll(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                services.list().forEach(service -> queue.add(key(service)));
            }

            @Override
            public void updated(Node before, Node after) {
                if (!Objects.equals(zone(before), zone(after))) {
                    added(after);
                }
            }

            @Override
            public void deleted(Node last) {
                // The pods of a lost node are deleted, and then heard of.
            }
        };
    }

    private static String zone(Node node) {
        return node.getMetadata().getLabels() == null
                ? null
                : node.getMetadata().getLabels().get(DesiredEndpoints.ZONE);
    }

    private static NamespacedName key(Service service) {
        return NamespacedName.of(
                service.getMetadata().getNamespace(), service.getMetadata().getName());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Service service = services.get(key).orElse(null);
        if (service == null || !ServicePods.isManaged(service)) {
            return Result.done();
        }
        SliceDiff diff = SliceDiff.of(
                service,
                pods.of(service),
                name -> nodes.get(NamespacedName.cluster(name)).orElse(null),
                slices.byIndex(BY_SERVICE, key.toString()));
        try {
            carryOut(service, diff);
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return Result.done();
            }
            if (!e.is(Reason.Conflict)) {
                events.event(
                        service,
                        EventRecorder.Type.Warning,
                        "FailedToUpdateEndpointSlices",
                        "Error updating Endpoint Slices for Service " + key + ": " + e.getMessage());
            }
            throw e;
        }
        return Result.done();
    }

    private void carryOut(Service service, SliceDiff diff) {
        if (service.getMetadata().getDeletionTimestamp() == null) {
            diff.create().forEach(resources::create);
        }
        diff.update().forEach(resources::update);
        for (EndpointSlice slice : diff.delete()) {
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
