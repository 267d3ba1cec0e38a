package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the network needs to know of one Service, free of the API's optional fields.
 *
 * @param otherProxy whether it wants to be served by another proxy than ours; its names are answered all the same
 * @param healthCheckPort where balancers ask whether a node has endpoints of it; 0 if they need not ask
 */
public record ServiceView(
        NamespacedName name,
        List<Ip> clusterIps,
        boolean headless,
        Optional<String> externalName,
        List<Port> ports,
        List<Ip> externalIps,
        List<Ip> loadBalancerIps,
        List<Cidr> loadBalancerSourceRanges,
        Optional<Duration> affinity,
        boolean internalLocal,
        boolean externalLocal,
        boolean otherProxy,
        int healthCheckPort) {

    public ServiceView {
        clusterIps = List.copyOf(clusterIps);
        ports = List.copyOf(ports);
        externalIps = List.copyOf(externalIps);
        loadBalancerIps = List.copyOf(loadBalancerIps);
        loadBalancerSourceRanges = List.copyOf(loadBalancerSourceRanges);
    }

    /** One port of a Service; the name is empty when it has none, the node port 0 when none is allocated. */
    public record Port(String name, Protocol protocol, int port, int nodePort) {}

    /** A plain ClusterIP Service with the defaults of the API. */
    public static ServiceView clusterIp(NamespacedName name, List<Ip> clusterIps, List<Port> ports) {
        return new ServiceView(
                name,
                clusterIps,
                false,
                Optional.empty(),
                ports,
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                false,
                false,
                false,
                0);
    }

    public static ServiceView headless(NamespacedName name, List<Port> ports) {
        return clusterIp(name, List.of(), ports).withHeadless();
    }

    public static ServiceView externalName(NamespacedName name, String target) {
        ServiceView plain = clusterIp(name, List.of(), List.of());
        return new ServiceView(
                name,
                List.of(),
                false,
                Optional.of(target),
                List.of(),
                plain.externalIps,
                plain.loadBalancerIps,
                plain.loadBalancerSourceRanges,
                plain.affinity,
                false,
                false,
                false,
                0);
    }

    private ServiceView withHeadless() {
        return new ServiceView(
                name,
                clusterIps,
                true,
                externalName,
                ports,
                externalIps,
                loadBalancerIps,
                loadBalancerSourceRanges,
                affinity,
                internalLocal,
                externalLocal,
                otherProxy,
                healthCheckPort);
    }
}
