package io.argosy.network;

import io.argosy.network.proxy.HostNetwork;
import io.argosy.network.proxy.ProxyTable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Keeps the kernel's rules in step with the Services; stopping it leaves the rules, so that traffic outlives the process. */
public final class ServiceProxy implements AutoCloseable {
    private final ServiceFeed feed;
    private final ProxyTable table;
    private final HostNetwork host;
    private final CountDownLatch programmed = new CountDownLatch(1);
    private ServiceFeed.Following following = () -> {};

    public ServiceProxy(ServiceFeed feed, ProxyTable table, HostNetwork host) {
        this.feed = feed;
        this.table = table;
        this.host = host;
    }

    public void start() {
        following = feed.subscribe("service-proxy", changes -> {
            if (programmed.getCount() > 0) {
                host.prepare();
            }
            table.program(changes);
            programmed.countDown();
        });
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
