package io.argosy.controllers.loadbalancer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.endpointslice.SliceDiff;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Writes into the status of every Service of type LoadBalancer which nodes answer for it; their proxies do the rest. */
public final class LoadBalancerReconciler implements Reconciler {
    private static final String NAME = "service-controller";
    private static final String BALANCED = "balanced";

    private final Resources<Service> resources;
    private final Informer<Service> services;
    private final Informer<Node> nodes;
    private final Informer<EndpointSlice> slices;
    private final EventRecorder events;

    private LoadBalancerReconciler(Client client, Informers informers, EventRecorder events) {
        resources = client.resources(Service.class);
        services = informers.of(Service.class);
        services.addIndex(BALANCED, service -> concerns(service) ? List.of(BALANCED) : List.of());
        nodes = informers.of(Node.class);
        slices = informers.of(EndpointSlice.class);
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        LoadBalancerReconciler reconciler = new LoadBalancerReconciler(client, informers, events);
        return Controller.named(NAME, informers, clock)
                .maps(Service.class, service -> concerns(service) ? reconciler.all(service) : List.of())
                .maps(Node.class, node -> reconciler.all(null))
                .maps(
                        EndpointSlice.class,
                        slice -> serviceOf(slice).stream()
                                .filter(reconciler::staysLocal)
                                .toList())
                .workers(1)
                .reconciler(reconciler);
    }

    private static boolean concerns(Service service) {
        return NodeBalancer.serves(service) || !ingress(service).isEmpty();
    }

    /** All that are balanced, because what one gives up another may be waiting for. */
    private Collection<NamespacedName> all(Service changed) {
        List<NamespacedName> all = new ArrayList<>();
        if (changed != null) {
            all.add(nameOf(changed));
        }
        services.byIndex(BALANCED, BALANCED).forEach(service -> all.add(nameOf(service)));
        return all;
    }

    private static List<NamespacedName> serviceOf(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        String name = labels == null ? null : labels.get(SliceDiff.SERVICE_NAME);
        return name == null
                ? List.of()
                : List.of(NamespacedName.of(slice.getMetadata().getNamespace(), name));
    }

    /** Whether it matters to the Service's balancer where its endpoints are. */
    private boolean staysLocal(NamespacedName name) {
        return services.get(name)
                .filter(service -> NodeBalancer.serves(service)
                        && "Local".equals(service.getSpec().getExternalTrafficPolicy()))
                .isPresent();
    }

    private static NamespacedName nameOf(Service service) {
        return NamespacedName.of(
                service.getMetadata().getNamespace(), service.getMetadata().getName());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Service service = services.get(key).orElse(null);
        if (service == null || service.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        List<String> before = ingress(service);
        if (!NodeBalancer.serves(service)) {
            boolean ours = !"LoadBalancer".equals(service.getSpec().getType());
            if (ours && !before.isEmpty()) {
                write(service, List.of());
                tell(service, EventRecorder.Type.Normal, "DeletedLoadBalancer", "Deleted load balancer");
            }
            return Result.done();
        }
        NodeBalancer balancer = NodeBalancer.of(
                service,
                services.byIndex(BALANCED, BALANCED),
                nodes.list(),
                staysLocal(key) ? slicesOf(key) : List.of());
        if (!balancer.refusal().isEmpty()) {
            tell(
                    service,
                    EventRecorder.Type.Warning,
                    "SyncLoadBalancerFailed",
                    "Error syncing load balancer: failed to ensure load balancer: " + balancer.refusal());
        }
        if (!before.equals(balancer.addresses())) {
            write(service, balancer.addresses());
            if (before.isEmpty()) {
                tell(service, EventRecorder.Type.Normal, "EnsuredLoadBalancer", "Ensured load balancer");
            } else if (balancer.refusal().isEmpty()) {
                tell(service, EventRecorder.Type.Normal, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
            }
        }
        return Result.done();
    }

    private List<EndpointSlice> slicesOf(NamespacedName service) {
        return slices.list().stream()
                .filter(slice -> serviceOf(slice).contains(service))
                .toList();
    }

    private static List<String> ingress(Service service) {
        if (service.getStatus() == null || service.getStatus().getLoadBalancer() == null) {
            return List.of();
        }
        List<LoadBalancerIngress> ingress =
                service.getStatus().getLoadBalancer().getIngress();
        return ingress == null
                ? List.of()
                : ingress.stream()
                        .map(LoadBalancerIngress::getIp)
                        .filter(ip -> ip != null)
                        .toList();
    }

    private void write(Service service, List<String> addresses) {
        ObjectNode patch = Json.object();
        ArrayNode ingress = patch.putObject("status").putObject("loadBalancer").putArray("ingress");
        addresses.forEach(address -> ingress.addObject().put("ip", address).put("ipMode", "VIP"));
        resources.patchStatus(
                service.getMetadata().getNamespace(), service.getMetadata().getName(), PatchType.MERGE, patch);
    }

    private void tell(Service service, EventRecorder.Type type, String reason, String message) {
        events.event(service, type, reason, message);
    }
}
