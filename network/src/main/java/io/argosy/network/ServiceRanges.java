package io.argosy.network;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ranges that Services have their addresses of: those that the cluster began with, and those that were added as objects. */
public final class ServiceRanges {
    private static final Logger log = LoggerFactory.getLogger(ServiceRanges.class);

    private final Informer<ServiceCIDR> objects;
    private final List<Cidr> first;
    private final List<Cidr> pods;
    private final List<Ip> nodes;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /**
     * Who adds a range does not know the machines. One with addresses of pods or of the machine itself would cut these off, and is
     * left out; its Services are served all the same.
     */
    public ServiceRanges(Informers informers, List<Cidr> first, List<Cidr> pods, List<Ip> nodes) {
        objects = informers.of(ServiceCIDR.class);
        this.first = List.copyOf(first);
        this.pods = List.copyOf(pods);
        this.nodes = List.copyOf(nodes);
    }

    void onChange(Runnable told) {
        objects.addHandler(Informer.Handler.onAny(range -> told.run()));
    }

    /** All there are now, none within another, always in the same order. */
    List<Cidr> now() {
        return joined(first, objects.list());
    }

    private List<Cidr> joined(List<Cidr> begun, Collection<ServiceCIDR> added) {
        Set<Cidr> all = new LinkedHashSet<>(begun);
        added.stream()
                .filter(range -> range.getSpec() != null && range.getSpec().getCidrs() != null)
                .flatMap(range -> range.getSpec().getCidrs().stream())
                .sorted()
                .flatMap(this::parsed)
                .filter(range -> all.contains(range) || isHarmless(range))
                .forEach(all::add);
        return all.stream()
                .filter(range -> all.stream().noneMatch(other -> !other.equals(range) && other.contains(range)))
                .toList();
    }

    private Stream<Cidr> parsed(String range) {
        try {
            return Stream.of(Cidr.parse(range));
        } catch (IllegalArgumentException e) {
            if (told.add(range)) {
                log.warn("the Service range {} is left out: {}", range, e.getMessage());
            }
            return Stream.empty();
        }
    }

    private boolean isHarmless(Cidr range) {
        boolean harmless =
                pods.stream().noneMatch(range::overlaps) && nodes.stream().noneMatch(range::contains);
        if (!harmless && told.add(range.toString())) {
            log.warn(
                    "the Service range {} holds addresses of pods or of this machine: it gets no route, and what is not"
                            + " served in it is not refused",
                    range);
        }
        return harmless;
    }
}
