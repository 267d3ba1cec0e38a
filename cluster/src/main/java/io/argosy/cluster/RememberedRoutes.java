package io.argosy.cluster;

import io.argosy.api.net.Cidr;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.UsedNetworks;
import io.argosy.network.proxy.HostNetwork;
import java.io.IOException;
import java.util.List;

/** Notes in the home which routes the machine has because of it. */
record RememberedRoutes(ClusterConfig config, Home home) implements HostNetwork.Memory {
    @Override
    public List<Cidr> routed() throws IOException {
        return UsedNetworks.of(home).map(UsedNetworks::routed).orElse(List.of()).stream()
                .map(Cidr::parse)
                .toList();
    }

    @Override
    public void routing(List<Cidr> ranges) throws IOException {
        List<String> routed = ranges.stream().map(Cidr::toString).toList();
        new UsedNetworks(config.podCidr(), config.serviceCidr(), routed).save(home);
    }
}
