package io.argosy.controllers.endpointslice;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.service.ServicePods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Objects;

/** Keeps the EndpointSlices of every service that selects pods. */
public final class EndpointSliceReconciler implements Reconciler {
    private final Informer<Service> services;
    private final ManagedSlices slices;
    private final Informer<Node> nodes;
    private final ServicePods pods;

    private EndpointSliceReconciler(Client client, Informers informers, EventRecorder events) {
        services = informers.of(Service.class);
        nodes = informers.of(Node.class);
        slices = new ManagedSlices(SliceDiff.CONTROLLER, client, informers, events);
        pods = new ServicePods(services, informers.of(Pod.class));
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        EndpointSliceReconciler reconciler = new EndpointSliceReconciler(client, informers, events);
        Controller.Builder builder = Controller.named("endpointslice-controller", informers, clock)
                .watches(Service.class)
                .maps(EndpointSlice.class, reconciler.slices::service);
        informers.of(Pod.class).addHandler(reconciler.pods.wake(builder.queue()));
        informers.of(Node.class).addHandler(reconciler.wakeAll(builder.queue()));
        return builder.reconciler(reconciler);
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
                slices.of(key));
        boolean going = service.getMetadata().getDeletionTimestamp() != null;
        slices.write(
                new ManagedSlices.Change(going ? List.of() : diff.create(), diff.update(), diff.delete()),
                service,
                "Error updating Endpoint Slices for Service " + key);
        return Result.done();
    }
}
