package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Ip;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One EndpointSlice: addresses of one family that all serve the same ports of one Service. */
public record EndpointGroup(NamespacedName service, String slice, List<Port> ports, List<Endpoint> endpoints) {

    public EndpointGroup {
        ports = List.copyOf(ports);
        endpoints = List.copyOf(endpoints);
    }

    /** The port a Service port of the same name leads to. */
    public record Port(String name, Protocol protocol, int port) {}

    /** One address behind a Service, and whether it takes traffic now. */
    public record Endpoint(
            Ip ip,
            Optional<String> hostname,
            Optional<String> nodeName,
            boolean ready,
            boolean serving,
            boolean terminating,
            Set<String> forZones,
            Set<String> forNodes) {
        public Endpoint {
            forZones = Set.copyOf(forZones);
            forNodes = Set.copyOf(forNodes);
        }

        public static Endpoint ready(Ip ip) {
            return plain(ip, true, true, false);
        }

        public static Endpoint notReady(Ip ip) {
            return plain(ip, false, false, false);
        }

        public static Endpoint draining(Ip ip) {
            return plain(ip, false, true, true);
        }

        private static Endpoint plain(Ip ip, boolean ready, boolean serving, boolean terminating) {
            return new Endpoint(
                    ip, Optional.empty(), Optional.empty(), ready, serving, terminating, Set.of(), Set.of());
        }

        public Endpoint named(String host) {
            return new Endpoint(ip, Optional.of(host), nodeName, ready, serving, terminating, forZones, forNodes);
        }

        public Endpoint onNode(String node) {
            return new Endpoint(ip, hostname, Optional.of(node), ready, serving, terminating, forZones, forNodes);
        }

        /** For clients in these zones and on these nodes rather than for others. */
        public Endpoint hinted(Set<String> zones, Set<String> nodes) {
            return new Endpoint(ip, hostname, nodeName, ready, serving, terminating, zones, nodes);
        }
    }
}
