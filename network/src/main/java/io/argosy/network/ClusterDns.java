package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.network.dns.DnsServer;
import io.argosy.network.dns.DnsZone;
import io.argosy.network.dns.Upstreams;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The cluster's name server, kept in step with Services and namespaces; requests that come before the first list wait for it. */
public final class ClusterDns implements AutoCloseable {
    private final ServiceFeed feed;
    private final DnsServer server;
    private final CountDownLatch ready = new CountDownLatch(1);
    private DnsZone zone;
    private ServiceFeed.Following following = () -> {};

    /** Listens on the given addresses; other names go to the upstreams. */
    public ClusterDns(
            ServiceFeed feed,
            Informers informers,
            DnsZone.Settings settings,
            List<InetSocketAddress> addresses,
            Upstreams upstreams,
            Clock clock) {
        this.feed = feed;
        Informer<Namespace> namespaces = informers.of(Namespace.class);
        this.server = new DnsServer(addresses, upstreams, clock);
        this.zone = DnsZone.empty(settings)
                .withNamespaces(
                        name -> namespaces.get(NamespacedName.cluster(name)).isPresent());
    }

    /** Opens the sockets; fails if an address cannot be had. */
    public void start() throws IOException {
        server.start();
        following = feed.subscribe("cluster-dns", changes -> {
            zone = zone.with(changes);
            server.use(zone);
            ready.countDown();
        });
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
