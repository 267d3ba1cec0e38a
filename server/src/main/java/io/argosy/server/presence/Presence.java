package io.argosy.server.presence;

import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.server.rest.LocalApi;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists this API server among the endpoints of the Service {@code kubernetes}. Where several share a store each renews its own lease, and each
 * lists all that have one; so one that vanishes is listed no more soon after its lease has lapsed, and one that ends orderly at once.
 */
public final class Presence implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final boolean shared;
    private final MasterLeases leases;
    private final EndpointWriter writer;
    private final Clock clock;
    private final ListedEndpoints own;
    private Clock.Timer next;
    private boolean closed;

    public Presence(Store store, LocalApi api, Clock clock, String address, int port) {
        this.shared = store.shared();
        this.leases = new MasterLeases(store);
        this.writer = new EndpointWriter(api);
        this.clock = clock;
        this.own = new ListedEndpoints(
                "default", "kubernetes", List.of(address), List.of(new ListedEndpoints.Port("https", "TCP", port)));
    }

    /** Lists this server, on the calling thread, and goes on doing so where others might not. */
    public synchronized void start() {
        if (!shared) {
            writer.write(own);
            return;
        }
        leases.renew(address());
        writer.write(living());
        again();
    }

    private String address() {
        return own.addresses().getFirst();
    }

    private ListedEndpoints living() {
        return new ListedEndpoints(own.namespace(), own.name(), leases.list(), own.ports());
    }

    private void again() {
        next = clock.schedule(
                PERIOD, () -> Thread.ofVirtual().name("api servers").start(this::renew));
    }

    private synchronized void renew() {
        if (closed) {
            return;
        }
        try {
            leases.renew(address()); // first, so that others list it whatever happens here
            writeKeepingPorts();
        } catch (StoreException | ApiException refusal) {
            LOG.warn("the API servers' addresses were not brought up to date: {}", refusal.getMessage());
        }
        again();
    }

    private void writeKeepingPorts() {
        ListedEndpoints living = living();
        if (living.addresses().isEmpty() && !closed) {
            LOG.warn("no API server's address is found in the store: the listed ones stay");
            return;
        }
        writer.write(ListedEndpoints.after(writer.endpoints(own.namespace(), own.name()), living));
    }

    /** Lists this server no more, if there may be others. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (next == null) {
            return;
        }
        next.cancel();
        try {
            leases.remove(address());
            writeKeepingPorts();
        } catch (StoreException | ApiException refusal) {
            LOG.warn("this API server's address stays listed until its lease lapses: {}", refusal.getMessage());
        }
    }
}
