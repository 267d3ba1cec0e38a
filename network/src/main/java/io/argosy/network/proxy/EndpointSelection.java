package io.argosy.network.proxy;

import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.ServiceView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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

    private record Candidate(Endpoint endpoint, Target target) {}

    static EndpointSelection select(
            ServiceView service,
            ServiceView.Port port,
            Collection<EndpointGroup> groups,
            Family family,
            ProxyConfig config) {
        List<Candidate> all = new ArrayList<>();
        for (EndpointGroup group : groups) {
            for (EndpointGroup.Port target : group.ports()) {
                if (target.name().equals(port.name()) && target.protocol() == port.protocol()) {
                    group.endpoints().stream()
                            .filter(e -> family.has(e.ip()))
                            .forEach(e -> all.add(new Candidate(e, new Target(e.ip(), target.port()))));
                }
            }
        }
        Predicate<Candidate> here =
                c -> c.endpoint.nodeName().filter(config.nodeName()::equals).isPresent();
        List<Candidate> inZone = hinted(all, config.zone());
        return new EndpointSelection(
                usable(inZone, service.publishNotReady()),
                usable(all.stream().filter(here).toList(), service.publishNotReady()));
    }

    /** The endpoints hinted for this zone, if every usable endpoint carries a hint and one of them is for us. */
    private static List<Candidate> hinted(List<Candidate> all, String zone) {
        if (zone.isEmpty()
                || all.stream()
                        .anyMatch(
                                c -> c.endpoint.ready() && c.endpoint.forZones().isEmpty())) {
            return all;
        }
        List<Candidate> near =
                all.stream().filter(c -> c.endpoint.forZones().contains(zone)).toList();
        return near.stream().anyMatch(c -> c.endpoint.ready()) ? near : all;
    }

    private static List<Target> usable(List<Candidate> candidates, boolean publishNotReady) {
        List<Target> ready = targets(candidates.stream().filter(c -> publishNotReady || c.endpoint.ready()));
        return ready.isEmpty()
                ? targets(candidates.stream().filter(c -> c.endpoint.serving() && c.endpoint.terminating()))
                : ready;
    }

    private static List<Target> targets(Stream<Candidate> candidates) {
        return candidates.map(Candidate::target).distinct().sorted().toList();
    }
}
