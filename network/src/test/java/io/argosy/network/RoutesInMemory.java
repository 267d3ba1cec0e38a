package io.argosy.network;

import io.argosy.api.net.Cidr;
import io.argosy.network.proxy.HostNetwork;
import java.util.List;

/** What a process would write down about its routes. */
public final class RoutesInMemory implements HostNetwork.Memory {
    private volatile List<Cidr> routed = List.of();

    @Override
    public List<Cidr> routed() {
        return routed;
    }

    @Override
    public void routing(List<Cidr> ranges) {
        routed = List.copyOf(ranges);
    }
}
