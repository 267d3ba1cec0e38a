package io.argosy.network.proxy;

/** The kernel's memory of connections, from which UDP flows to vanished endpoints must be removed. */
public interface Conntrack {
    /** Forgets the flows that do not keep to these ways; of what was sent elsewhere it knows nothing. */
    void keepTo(UdpWays ways);
}
