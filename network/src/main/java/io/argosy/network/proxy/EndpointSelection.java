package io.argosy.network.proxy;

import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.ServiceView;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Which endpoints of a Service port take new connections: the ready ones, and where none is left those that still serve
 * while they terminate, so that a rollout's last second is not an outage.
 *
 * @param cluster for traffic that may go anywhere in the cluster
 * @param local for traffic that must stay on this node
 */
record EndpointSelection(List<Target> cluster, List<Target> local) {

    /** An endpoint of one port, and where it is reached. */
    record Candidate(Endpoint endpoint, Target target) {}

    static EndpointSelection select(
            ServiceView.Port port, Collection<EndpointGroup> groups, Family family, ProxyConfig config) {
        List<Candidate> all = all(port, groups, family).toList();
        Predicate<Candidate> here =
                c -> c.endpoint.nodeName().filter(config.nodeName()::equals).isPresent();
        List<Candidate> near = hinted(all, Endpoint::forNodes, config.nodeName())
                .or(() -> hinted(all, Endpoint::forZones, config.zone()))
                .orElse(all);
        return new EndpointSelection(
                usable(near), usable(all.stream().filter(here).toList()));
    }

    /** All there are behind a port, whatever their state. */
    static Stream<Candidate> all(ServiceView.Port port, Collection<EndpointGroup> groups, Family family) {
        return groups.stream()
                .flatMap(group -> group.ports().stream()
                        .filter(target -> target.name().equals(port.name()) && target.protocol() == port.protocol())
                        .flatMap(target -> group.endpoints().stream()
                                .filter(e -> family.has(e.ip()))
                                .map(e -> new Candidate(e, new Target(e.ip(), target.port())))));
    }

    /** The endpoints hinted for here, if every ready endpoint carries such a hint and one of them is for us. */
    private static Optional<List<Candidate>> hinted(
            List<Candidate> all, Function<Endpoint, Set<String>> hints, String here) {
        List<Candidate> ready = all.stream().filter(c -> c.endpoint.ready()).toList();
        List<Candidate> near = ready.stream()
                .filter(c -> hints.apply(c.endpoint).contains(here))
                .toList();
        boolean complete = ready.stream().noneMatch(c -> hints.apply(c.endpoint).isEmpty());
        return complete && !near.isEmpty() ? Optional.of(near) : Optional.empty();
    }

    private static List<Target> usable(List<Candidate> candidates) {
        List<Target> ready = targets(candidates.stream().filter(c -> c.endpoint.ready()));
        return ready.isEmpty()
                ? targets(candidates.stream().filter(c -> c.endpoint.serving() && c.endpoint.terminating()))
                : ready;
    }

    private static List<Target> targets(Stream<Candidate> candidates) {
        return candidates.map(Candidate::target).distinct().sorted().toList();
    }
}
