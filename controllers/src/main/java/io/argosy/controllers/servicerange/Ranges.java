package io.argosy.controllers.servicerange;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Which ranges of Service addresses hold what. */
final class Ranges {
    static final String FAMILY = "ipaddress.kubernetes.io/ip-family";
    static final String MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
    static final String ALLOCATOR = "ipallocator.k8s.io";

    private Ranges() {}

    static List<Cidr> of(ServiceCIDR range) {
        return range.getSpec() == null || range.getSpec().getCidrs() == null
                ? List.of()
                : range.getSpec().getCidrs().stream().map(Cidr::parse).toList();
    }

    static boolean hold(ServiceCIDR range, Ip address) {
        return of(range).stream().anyMatch(cidr -> cidr.contains(address));
    }

    /** Whether the object was made for a Service, by a server that gave it the address. */
    static boolean isGiven(IPAddress address) {
        Map<String, String> labels = address.getMetadata().getLabels();
        return labels != null && ALLOCATOR.equals(labels.get(MANAGED_BY));
    }

    /** Whether a range can go: no address that was given is in it and in no other. */
    static boolean canGo(ServiceCIDR range, Collection<ServiceCIDR> all, Collection<IPAddress> addresses) {
        List<ServiceCIDR> others = all.stream()
                .filter(other -> !other.getMetadata()
                        .getName()
                        .equals(range.getMetadata().getName()))
                .toList();
        return addresses.stream().filter(Ranges::isGiven).noneMatch(address -> {
            Ip ip = Ip.parse(address.getMetadata().getName());
            return hold(range, ip) && others.stream().noneMatch(other -> hold(other, ip));
        });
    }
}
