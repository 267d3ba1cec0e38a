package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.time.Clock;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.network.dns.Clients;
import io.argosy.network.dns.DnsServer;
import io.argosy.network.dns.DnsZone;
import io.argosy.network.dns.Upstreams;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** The cluster's name server, kept in step with Services and namespaces; requests that come before the first list wait for it. */
public final class ClusterDns implements AutoCloseable {
    private final ServiceFeed feed;
    private final ServiceRanges ranges;
    private final List<Cidr> networks;
    private final DnsServer server;
    private final CountDownLatch ready = new CountDownLatch(1);
    private DnsZone zone;
    private ServiceFeed.Following following = () -> {};

    /** Listens on the given addresses; other names go to the upstreams. The ranges are ours beside the networks of the settings. */
    public ClusterDns(
            ServiceFeed feed,
            ServiceRanges ranges,
            Informers informers,
            DnsZone.Settings settings,
            List<InetSocketAddress> addresses,
            Upstreams upstreams,
            Clock clock) {
        this.feed = feed;
        this.ranges = ranges;
        this.networks = settings.networks();
        Informer<Namespace> namespaces = informers.of(Namespace.class);
        this.server = new DnsServer(addresses, upstreams, new Clients(networks, clock), clock);
        this.zone = DnsZone.empty(settings)
                .withNamespaces(
                        name -> namespaces.get(NamespacedName.cluster(name)).isPresent());
    }

    /** Opens the sockets; fails if an address cannot be had. */
    public void start() throws IOException {
        server.start();
        following = feed.subscribe("cluster-dns", changes -> {
            zone = zone.with(changes).withNetworks(ours());
            server.use(zone);
            ready.countDown();
            return Map.of();
        });
        ranges.onChange(following::again);
    }

    private List<Cidr> ours() {
        return Stream.concat(networks.stream(), ranges.now().stream())
                .distinct()
                .toList();
    }

    /** Where it listens, with the ports it got. */
    public List<InetSocketAddress> addresses() {
        return server.addresses();
    }

    /** Waits until it answers from the cluster's state. */
    public void awaitReady() throws InterruptedException {
        ready.await();
    }

    @Override
    public void close() {
        following.close();
        server.close();
    }
}
