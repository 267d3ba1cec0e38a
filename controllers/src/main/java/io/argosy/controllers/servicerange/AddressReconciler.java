package io.argosy.controllers.servicerange;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Ip;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.ParentReference;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Keeps the addresses that Services have and the objects that say so in step, where a server was cut off or somebody has had a hand in it. */
public final class AddressReconciler implements Reconciler {
    /** The name of the loop, and of who it is. */
    public static final String NAME = "service-address-repair";

    private static final String BY_ADDRESS = "address";

    private final Resources<IPAddress> resources;
    private final Resources<Service> serviceResources;
    private final Informer<IPAddress> addresses;
    private final Informer<Service> services;
    private final Informer<ServiceCIDR> ranges;
    private final EventRecorder events;
    private final Clock clock;

    private AddressReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        resources = client.resources(IPAddress.class);
        serviceResources = client.resources(Service.class);
        addresses = informers.of(IPAddress.class);
        services = informers.of(Service.class);
        services.addIndex(BY_ADDRESS, AddressReconciler::addressesOf);
        ranges = informers.of(ServiceCIDR.class);
        this.events = events;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named(NAME, informers, clock)
                .watches(IPAddress.class)
                .maps(
                        Service.class,
                        service -> addressesOf(service).stream()
                                .map(address -> NamespacedName.of("", address))
                                .toList())
                .reconciler(new AddressReconciler(client, informers, clock, events));
    }

    private static Collection<String> addressesOf(Service service) {
        List<String> all = service.getSpec() == null ? null : service.getSpec().getClusterIPs();
        return all == null || "ExternalName".equals(service.getSpec().getType())
                ? List.of()
                : all.stream().filter(address -> !address.equals("None")).toList();
    }

    @Override
    public Result reconcile(NamespacedName key) {
        String address = key.name();
        Optional<IPAddress> object = addresses.get(key);
        AddressRepair repair = AddressRepair.of(
                address,
                object,
                services.byIndex(BY_ADDRESS, address).stream()
                        .sorted(Comparator.comparing(
                                service -> service.getMetadata().getCreationTimestamp()))
                        .toList(),
                object.flatMap(this::parentOf).isPresent(),
                ranges.list(),
                object.map(this::age).orElse(Duration.ZERO));
        if (repair.make().isPresent() && !stillHolds(repair.make().get(), address)) {
            return Result.done(); // what is seen of it is on its way out
        }
        if (repair.remove()) {
            delete(object.get());
        }
        if (repair.make().isEmpty() || make(address, repair.make().get())) {
            repair.said().forEach(said -> tell(said, object));
        }
        return repair.delay().isPositive() ? Result.after(repair.delay()) : Result.done();
    }

    private Optional<Service> parentOf(IPAddress object) {
        ParentReference parent = object.getSpec().getParentRef();
        return parent.getNamespace() == null
                ? Optional.empty()
                : services.get(NamespacedName.of(parent.getNamespace(), parent.getName()));
    }

    private Duration age(IPAddress object) {
        return Duration.between(Timestamps.parse(object.getMetadata().getCreationTimestamp()), clock.now());
    }

    private boolean stillHolds(Service service, String address) {
        return serviceResources
                .find(
                        service.getMetadata().getNamespace(),
                        service.getMetadata().getName())
                .filter(now -> addressesOf(now).contains(address))
                .isPresent();
    }

    private void delete(IPAddress object) {
        try {
            resources.delete(
                    "",
                    object.getMetadata().getName(),
                    Resources.DeleteOptions.DEFAULT.ifUid(object.getMetadata().getUid()));
        } catch (ApiException gone) {
            if (!gone.is(Reason.NotFound) && !gone.is(Reason.Conflict)) {
                throw gone;
            }
        }
    }

    /** False if it was there, only not yet seen here. */
    private boolean make(String address, Service service) {
        try {
            resources.create(new IPAddressBuilder()
                    .withNewMetadata()
                    .withName(address)
                    .addToLabels(Ranges.FAMILY, Ip.parse(address).v6() ? "IPv6" : "IPv4")
                    .addToLabels(Ranges.MANAGED_BY, Ranges.ALLOCATOR)
                    .endMetadata()
                    .withNewSpec()
                    .withNewParentRef(
                            "",
                            service.getMetadata().getName(),
                            service.getMetadata().getNamespace(),
                            "services")
                    .endSpec()
                    .build());
            return true;
        } catch (ApiException refused) {
            if (refused.is(Reason.AlreadyExists)) {
                return false;
            }
            throw refused;
        }
    }

    private void tell(AddressRepair.Said said, Optional<IPAddress> object) {
        if (said.about().isPresent()) {
            events.event(said.about().get(), EventRecorder.Type.Warning, said.reason(), said.message());
        } else if (object.isPresent()) {
            events.event(object.get(), EventRecorder.Type.Warning, said.reason(), said.message());
        }
    }
}
