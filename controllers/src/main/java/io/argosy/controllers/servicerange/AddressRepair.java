package io.argosy.controllers.servicerange;

import io.argosy.api.net.Ip;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ParentReference;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done about one Service address, given its object, who holds it, and the ranges there are.
 *
 * @param make the Service that the object is to be made for, after the one that is there is gone
 * @param remove whether the object that is there must go
 * @param delay for how long nothing is done yet
 * @param said what people are told
 */
record AddressRepair(Optional<Service> make, boolean remove, Duration delay, List<Said> said) {
    /** The object is made before its Service, which a server has this long to write. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final AddressRepair NOTHING = new AddressRepair(Optional.empty(), false, Duration.ZERO, List.of());

    /** An event; about the Service, or about the address if there is none. */
    record Said(Optional<Service> about, String reason, String message) {}

    /**
     * @param object with the address as its name, if there is one
     * @param holders the Services that say they have the address, the oldest first
     * @param parentThere whether the Service that the object names is there
     * @param age of the object
     */
    static AddressRepair of(
            String address,
            Optional<IPAddress> object,
            List<Service> holders,
            boolean parentThere,
            Collection<ServiceCIDR> ranges,
            Duration age) {
        if (holders.isEmpty()) {
            return object.filter(Ranges::isGiven)
                    .map(there -> unheld(address, there, parentThere, age))
                    .orElse(NOTHING);
        }
        Service first = holders.getFirst();
        Ip ip = Ip.parse(address);
        String named = "[" + (ip.v6() ? "IPv6" : "IPv4") + "]: " + address;
        if (!ranges.isEmpty() && ranges.stream().noneMatch(range -> Ranges.hold(range, ip))) {
            return told(
                    first,
                    "ClusterIPOutOfRange",
                    "Cluster IP " + named + " is not within any configured Service CIDR; please recreate service");
        }
        if (object.isEmpty()) {
            return made(first, false, "Cluster IP " + named + " is not allocated; repairing");
        }
        Optional<Service> rightful =
                holders.stream().filter(holder -> isOf(object.get(), holder)).findFirst();
        if (rightful.isEmpty() || !isLabelled(object.get(), ip)) {
            return made(
                    rightful.orElse(first),
                    true,
                    "the ClusterIP " + named + " for Service " + nameOf(rightful.orElse(first))
                            + " has a wrong reference; repairing");
        }
        List<Said> doubles = holders.stream()
                .filter(holder -> holder != rightful.get())
                .map(holder -> new Said(
                        Optional.of(holder),
                        "ClusterIPAlreadyAllocated",
                        "Cluster IP " + named + " was assigned to multiple services; please recreate service"))
                .toList();
        return new AddressRepair(Optional.empty(), false, Duration.ZERO, doubles);
    }

    private static AddressRepair unheld(String address, IPAddress there, boolean parentThere, Duration age) {
        Duration left = PATIENCE.minus(age);
        if (isOfService(there) && left.isPositive()) {
            return new AddressRepair(Optional.empty(), false, left, List.of());
        }
        ParentReference parent = there.getSpec().getParentRef();
        String service = parent.getNamespace() + "/" + parent.getName();
        Said said;
        if (!isOfService(there)) {
            said = new Said(
                    Optional.empty(),
                    "IPAddressNotAllocated",
                    "IPAddress " + address + " appears to have been modified, not referencing a Service: cleaning up");
        } else if (parentThere) {
            said = new Said(
                    Optional.empty(),
                    "IPAddressWrongReference",
                    "IPAddress: " + address + " for Service " + service + " has a wrong reference; cleaning up");
        } else {
            said = new Said(
                    Optional.empty(),
                    "IPAddressNotAllocated",
                    "IPAddress: " + address + " for Service " + service + " appears to have leaked: cleaning up");
        }
        return new AddressRepair(Optional.empty(), true, Duration.ZERO, List.of(said));
    }

    private static AddressRepair made(Service service, boolean instead, String message) {
        return new AddressRepair(
                Optional.of(service),
                instead,
                Duration.ZERO,
                List.of(new Said(Optional.of(service), "ClusterIPNotAllocated", message)));
    }

    private static AddressRepair told(Service service, String reason, String message) {
        return new AddressRepair(
                Optional.empty(), false, Duration.ZERO, List.of(new Said(Optional.of(service), reason, message)));
    }

    private static boolean isOfService(IPAddress address) {
        ParentReference parent = address.getSpec().getParentRef();
        return (parent.getGroup() == null || parent.getGroup().isEmpty()) && "services".equals(parent.getResource());
    }

    private static boolean isOf(IPAddress address, Service service) {
        ParentReference parent = address.getSpec().getParentRef();
        return isOfService(address)
                && service.getMetadata().getNamespace().equals(parent.getNamespace())
                && service.getMetadata().getName().equals(parent.getName());
    }

    private static boolean isLabelled(IPAddress address, Ip ip) {
        return Ranges.isGiven(address)
                && (ip.v6() ? "IPv6" : "IPv4")
                        .equals(address.getMetadata().getLabels().get(Ranges.FAMILY));
    }

    private static String nameOf(Service service) {
        return service.getMetadata().getNamespace() + "/"
                + service.getMetadata().getName();
    }
}
