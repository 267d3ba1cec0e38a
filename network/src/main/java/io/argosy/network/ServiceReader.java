package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup.Endpoint;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.ForNode;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads the API's objects into what the network works with, filling in what they leave out, and leaving out what it cannot use. */
final class ServiceReader {
    private static final int LARGEST_PORT = 65_535;
    private static final String SERVICE_NAME = "kubernetes.io/service-name";

    /** Who sets one of these on a Service wants no rules of ours for it: another proxy serves it, or names alone do. */
    private static final List<String> LEFT_TO_OTHERS =
            List.of("service.kubernetes.io/service-proxy-name", "service.kubernetes.io/headless");

    private static final Duration AFFINITY = Duration.ofHours(3);

    private final List<String> leftOut = new ArrayList<>();

    /** What was read and cannot be used, each with its reason. */
    List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    void leaveOut(String what) {
        leftOut.add(what);
    }

    ServiceView service(Service service) {
        ServiceSpec spec = service.getSpec();
        NamespacedName name = nameOf(service);
        if (spec == null) {
            return ServiceView.headless(name, List.of());
        }
        if ("ExternalName".equals(spec.getType())) {
            return ServiceView.externalName(name, Objects.toString(spec.getExternalName(), ""));
        }
        List<String> clusterIps =
                spec.getClusterIPs() == null || spec.getClusterIPs().isEmpty()
                        ? spec.getClusterIP() == null ? List.of() : List.of(spec.getClusterIP())
                        : spec.getClusterIPs();
        return new ServiceView(
                name,
                addresses(clusterIps),
                clusterIps.contains("None"),
                Optional.empty(),
                orEmpty(spec.getPorts()).stream().map(ServiceReader::port).toList(),
                addresses(orEmpty(spec.getExternalIPs())),
                addresses(ingress(service)),
                orEmpty(spec.getLoadBalancerSourceRanges()).stream()
                        .map(range -> Cidr.parse(range.strip()))
                        .toList(),
                affinity(spec),
                "Local".equals(spec.getInternalTrafficPolicy()),
                "Local".equals(spec.getExternalTrafficPolicy()),
                otherProxy(service),
                spec.getHealthCheckNodePort() == null || otherProxy(service) ? 0 : spec.getHealthCheckNodePort());
    }

    private static boolean otherProxy(Service service) {
        Map<String, String> labels = service.getMetadata().getLabels();
        return labels != null && LEFT_TO_OTHERS.stream().anyMatch(labels::containsKey);
    }

    private static ServiceView.Port port(ServicePort port) {
        return new ServiceView.Port(
                Objects.toString(port.getName(), ""),
                Protocol.parse(port.getProtocol()),
                port.getPort(),
                port.getNodePort() == null ? 0 : port.getNodePort());
    }

    private static Optional<Duration> affinity(ServiceSpec spec) {
        if (!"ClientIP".equals(spec.getSessionAffinity())) {
            return Optional.empty();
        }
        return Optional.of(
                spec.getSessionAffinityConfig() == null
                                || spec.getSessionAffinityConfig().getClientIP() == null
                                || spec.getSessionAffinityConfig().getClientIP().getTimeoutSeconds() == null
                        ? AFFINITY
                        : Duration.ofSeconds(Math.max(
                                1, spec.getSessionAffinityConfig().getClientIP().getTimeoutSeconds())));
    }

    /** The balancer's addresses that are ours to answer; in Proxy mode packets arrive at the balancer itself. */
    private static List<String> ingress(Service service) {
        if (service.getStatus() == null || service.getStatus().getLoadBalancer() == null) {
            return List.of();
        }
        return orEmpty(service.getStatus().getLoadBalancer().getIngress()).stream()
                .filter(i -> i.getIp() != null && !"Proxy".equals(i.getIpMode()))
                .map(LoadBalancerIngress::getIp)
                .toList();
    }

    /** The Service a slice belongs to, if it says so. */
    static Optional<NamespacedName> serviceOf(EndpointSlice slice) {
        Map<String, String> labels = slice.getMetadata().getLabels();
        String name = labels == null ? null : labels.get(SERVICE_NAME);
        return name == null || name.isEmpty()
                ? Optional.empty()
                : Optional.of(NamespacedName.of(slice.getMetadata().getNamespace(), name));
    }

    EndpointGroup slice(NamespacedName service, EndpointSlice slice) {
        String name = slice.getMetadata().getName();
        List<EndpointGroup.Port> ports = new ArrayList<>();
        for (EndpointPort port : orEmpty(slice.getPorts())) {
            if (port.getPort() == null) {
                continue;
            }
            if (port.getPort() < 1 || port.getPort() > LARGEST_PORT) {
                leaveOut("slice " + name + ": port " + port.getPort() + " is not between 1 and " + LARGEST_PORT);
            } else {
                ports.add(port(port));
            }
        }
        List<Endpoint> endpoints = new ArrayList<>();
        if (!"FQDN".equals(slice.getAddressType())) {
            orEmpty(slice.getEndpoints()).forEach(e -> endpoint(e).ifPresent(endpoints::add));
        }
        return new EndpointGroup(service, name, ports, endpoints);
    }

    private static EndpointGroup.Port port(EndpointPort port) {
        return new EndpointGroup.Port(
                Objects.toString(port.getName(), ""), Protocol.parse(port.getProtocol()), port.getPort());
    }

    /** The addresses of one endpoint are the same thing reached in several ways; like others before us we use the first. */
    private Optional<Endpoint> endpoint(io.fabric8.kubernetes.api.model.discovery.v1.Endpoint endpoint) {
        List<Ip> addresses = addresses(orEmpty(endpoint.getAddresses()));
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        EndpointConditions conditions = endpoint.getConditions();
        boolean ready = conditions == null || !Boolean.FALSE.equals(conditions.getReady());
        boolean serving = (conditions == null || conditions.getServing() == null) ? ready : conditions.getServing();
        EndpointHints hints = endpoint.getHints() == null ? new EndpointHints() : endpoint.getHints();
        return Optional.of(new Endpoint(
                addresses.getFirst(),
                Optional.ofNullable(endpoint.getHostname()).filter(h -> !h.isEmpty()),
                Optional.ofNullable(endpoint.getNodeName()),
                ready,
                serving,
                conditions != null && Boolean.TRUE.equals(conditions.getTerminating()),
                names(hints.getForZones(), ForZone::getName),
                names(hints.getForNodes(), ForNode::getName)));
    }

    private static <T> Set<String> names(List<T> hints, Function<T, String> name) {
        return orEmpty(hints).stream().map(name).collect(Collectors.toUnmodifiableSet());
    }

    static NamespacedName nameOf(io.fabric8.kubernetes.api.model.HasMetadata object) {
        return NamespacedName.of(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    /** What is no address literal, such as {@code None} or an empty string, is left out. */
    private List<Ip> addresses(Collection<String> texts) {
        List<Ip> result = new ArrayList<>();
        for (String text : texts) {
            if (!text.isEmpty() && !"None".equals(text)) {
                try {
                    result.add(Ip.parse(text));
                } catch (IllegalArgumentException e) {
                    leaveOut(e.getMessage());
                }
            }
        }
        return result;
    }

    private static <T> List<T> orEmpty(List<T> list) {
        return list == null ? List.of() : list;
    }
}
