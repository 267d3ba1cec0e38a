package io.argosy.network.proxy;

import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceView;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the kernel may lead UDP packets that were sent to certain places. It remembers where it led a client, and since UDP has
 * no end of connection, it must be told when nobody serves there any more. Like open TCP connections, flows stay with whoever
 * still serves, also if it is on its way out or no longer the one that new clients are sent to.
 */
public final class UdpWays {
    /** What clients send to; without an address it is a node port. */
    record Front(Optional<Ip> destination, int port) {}

    /**
     * One flow as the kernel remembers it.
     *
     * @param destination what the client sent to
     * @param target where it was led, which is the same if it was led nowhere else
     * @param returning where answers go: to the client, or to us if we stand in for it
     */
    record Flow(Ip client, Ip destination, int port, Target target, Ip returning) {
        /** Whether it leaves the node for a place that has nothing to do with us. */
        private boolean leaves() {
            return target.equals(new Target(destination, port)) && !returning.equals(client);
        }
    }

    private final Family family;
    private final Map<Front, Set<Target>> ways;

    UdpWays(Family family, Map<Front, Set<Target>> ways) {
        this.family = family;
        this.ways = Map.copyOf(ways);
    }

    /** The ways to one Service: to the endpoints that serve, or if none does, to all that are still there. */
    static Map<Front, Set<Target>> of(ServiceView service, Collection<EndpointGroup> groups, Family family) {
        Map<Front, Set<Target>> ways = new HashMap<>();
        if (service.headless() || service.clusterIps().stream().noneMatch(family::has)) {
            return ways;
        }
        for (ServiceView.Port port : service.ports()) {
            if (port.protocol() == Protocol.UDP) {
                Set<Target> serving = targets(port, groups, family, e -> e.ready() || e.serving());
                Set<Target> targets = serving.isEmpty() ? targets(port, groups, family, e -> true) : serving;
                Stream.of(service.clusterIps(), service.externalIps(), service.loadBalancerIps())
                        .flatMap(List::stream)
                        .filter(family::has)
                        .forEach(ip -> ways.put(new Front(Optional.of(ip), port.port()), targets));
                if (port.nodePort() > 0) {
                    ways.put(new Front(Optional.empty(), port.nodePort()), targets);
                }
            }
        }
        return ways;
    }

    private static Set<Target> targets(
            ServiceView.Port port, Collection<EndpointGroup> groups, Family family, Predicate<Endpoint> wanted) {
        return EndpointSelection.all(port, groups, family)
                .filter(candidate -> wanted.test(candidate.endpoint()))
                .map(EndpointSelection.Candidate::target)
                .collect(Collectors.toUnmodifiableSet());
    }

    static Set<Target> joined(Set<Target> some, Set<Target> more) {
        Set<Target> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    boolean isEmpty() {
        return ways.isEmpty();
    }

    Family family() {
        return family;
    }

    /** Those of these flows that lead where they may not. */
    List<Flow> stale(Collection<Flow> flows) {
        return flows.stream().filter(this::isStale).toList();
    }

    private boolean isStale(Flow flow) {
        Set<Target> targets = ways.get(new Front(Optional.of(flow.destination), flow.port));
        if (targets == null && !flow.leaves()) {
            targets = ways.get(new Front(Optional.empty(), flow.port));
        }
        return targets != null && !targets.contains(flow.target);
    }
}
