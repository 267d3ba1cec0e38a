package io.argosy.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.network.proxy.HostNetwork;
import io.argosy.network.proxy.ProxyTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Keeps the kernel's rules in step with the Services; stopping it leaves the rules, so that traffic outlives the process. */
public final class ServiceProxy implements AutoCloseable {
    private static final String REFUSED = "FailedToProgramService";

    private final ServiceFeed feed;
    private final ProxyTable table;
    private final HostNetwork host;
    private final ServiceRanges ranges;
    private final NodeZone zone;
    private final CountDownLatch programmed = new CountDownLatch(1);
    private ServiceFeed.Following following = () -> {};
    private List<Cidr> prepared = List.of();

    public ServiceProxy(ServiceFeed feed, ProxyTable table, HostNetwork host, ServiceRanges ranges, NodeZone zone) {
        this.feed = feed;
        this.table = table;
        this.host = host;
        this.ranges = ranges;
        this.zone = zone;
    }

    public void start() {
        following = feed.subscribe("service-proxy", changes -> {
            List<Cidr> now = ranges.now();
            if (!now.equals(prepared)) {
                host.prepare(now);
                prepared = now;
            }
            table.serve(now);
            table.standIn(zone.now());
            Map<NamespacedName, Trouble> refused = new HashMap<>();
            table.program(changes).forEach((name, why) -> refused.put(name, new Trouble(REFUSED, why)));
            programmed.countDown();
            return refused;
        });
        ranges.onChange(following::again);
        zone.onChange(following::again);
    }

    /** Waits until the rules have been programmed for the first time. */
    public void awaitReady() throws InterruptedException {
        programmed.await();
    }

    /** Stops following; the rules stay. */
    @Override
    public void close() {
        following.close();
    }

    /** Takes all rules and routes out of the kernel; after {@link #close}. */
    public void cleanup() throws IOException, InterruptedException {
        table.cleanup();
        host.cleanup();
    }
}
