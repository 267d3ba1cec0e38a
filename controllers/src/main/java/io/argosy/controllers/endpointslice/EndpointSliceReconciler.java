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
import io.argosy.controllers.node.Nodes;
import io.argosy.controllers.service.ServicePods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps the EndpointSlices of every service that selects pods. */
public final class EndpointSliceReconciler implements Reconciler {
    private final Informer<Service> services;
    private final ManagedSlices slices;
    private final Informer<Node> nodes;
    private final ServicePods pods;
    private final EventRecorder events;

    /** The services that have hints for zones because they leave them to us. */
    private final Set<NamespacedName> hinted = ConcurrentHashMap.newKeySet();

    private EndpointSliceReconciler(Client client, Informers informers, EventRecorder events) {
        this.events = events;
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

    /**
     * A new node may be the one that pods already name, and a node's zone shows in its endpoints: both are rare. What a zone can do
     * concerns the services that leave their hints to us.
     */
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
                } else if (Nodes.isReady(before) != Nodes.isReady(after)
                        || !ZoneShares.processors(before).equals(ZoneShares.processors(after))) {
                    deleted(after);
                }
            }

            /** The pods of a lost node are deleted, and then heard of. */
            @Override
            public void deleted(Node last) {
                services.list().stream().filter(ZoneHints::areWanted).forEach(service -> queue.add(key(service)));
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
            hinted.remove(key);
            return Result.done();
        }
        SliceDiff diff = SliceDiff.of(
                service,
                pods.of(service),
                name -> nodes.get(NamespacedName.cluster(name)).orElse(null),
                ZoneHints.areWanted(service) ? ZoneShares.of(nodes.list()) : new TreeMap<>(),
                slices.of(key));
        boolean going = service.getMetadata().getDeletionTimestamp() != null;
        slices.write(
                new ManagedSlices.Change(going ? List.of() : diff.create(), diff.update(), diff.delete()),
                service,
                "Error updating Endpoint Slices for Service " + key);
        tell(key, service, diff);
        return Result.done();
    }

    private void tell(NamespacedName key, Service service, SliceDiff diff) {
        if (!ZoneHints.areWanted(service)) {
            if (hinted.remove(key)) {
                String type = DesiredEndpoints.addressTypes(service).iterator().next();
                warn(service, "Topology Aware Hints has been disabled", type);
            }
            return;
        }
        diff.hints().forEach((type, outcome) -> {
            if (outcome.objection().isPresent()) {
                hinted.remove(key);
                warn(service, outcome.objection().get(), type);
            } else if (hinted.add(key)) {
                events.event(
                        service,
                        EventRecorder.Type.Normal,
                        "TopologyAwareHintsEnabled",
                        "Topology Aware Hints has been enabled, addressType: " + type);
            }
        });
    }

    private void warn(Service service, String why, String addressType) {
        events.event(
                service,
                EventRecorder.Type.Warning,
                "TopologyAwareHintsDisabled",
                why + ", addressType: " + addressType);
    }
}
