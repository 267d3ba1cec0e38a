package io.argosy.network.proxy;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.TestServices;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A proxy of real rules on the node of a test's network. */
final class TestProxy {
    static final ProxyConfig CONFIG = ProxyConfig.of(
            "argosy-test",
            List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")),
            List.of(Cidr.parse("10.96.0.0/16"), Cidr.parse("fd00:10:96::/112")),
            "node-1");

    private final TestNetwork network;
    private ProxyTable table;

    TestProxy(TestNetwork network) {
        this.network = network;
        restart();
    }

    /** Another process takes the place of the first; the kernel keeps what it has. */
    void restart() {
        table = new ProxyTable(
                CONFIG,
                Nft.command(TestNetwork.inside(network.node, "nft")),
                new ConntrackTool(List.of(TestNetwork.inside(network.node, "conntrack"))));
    }

    Map<NamespacedName, String> serve(ServiceEntry... entries) throws IOException, InterruptedException {
        return table.program(TestServices.byName(entries));
    }

    /** A Service and endpoints that listen on the port, all under the name and protocol of its first port. */
    static ServiceEntry entry(ServiceView service, int port, Endpoint... endpoints) {
        EndpointGroup.Port target = new EndpointGroup.Port(
                service.ports().getFirst().name(), service.ports().getFirst().protocol(), port);
        return new ServiceEntry(
                service,
                List.of(new EndpointGroup(
                        service.name(), service.name().name() + "-1", List.of(target), Arrays.asList(endpoints))));
    }

    static ServiceView service(String name, String address, Protocol protocol, int port) {
        return ServiceView.clusterIp(
                NamespacedName.of("default", name),
                List.of(Ip.parse(address)),
                List.of(new ServiceView.Port("main", protocol, port, 0)));
    }

    static Ip pod(int n) {
        return Ip.parse("10.244.0." + n);
    }
}
