package io.argosy.network.proxy;

import java.util.List;

/** The kernel's memory of connections, from which UDP flows to vanished endpoints must be removed. */
public interface Conntrack {
    /** Forgets the given flows; a flow that is not there is no error. */
    void forget(List<StaleFlow> flows);

    /**
     * A remembered UDP flow that leads to the wrong place.
     *
     * @param family {@code ipv4} or {@code ipv6}
     * @param destination the address the client sent to, or empty for any
     * @param port the port the client sent to
     * @param endpoint the address it was led to, or empty for any
     */
    record StaleFlow(String family, String destination, int port, String endpoint) {}
}
