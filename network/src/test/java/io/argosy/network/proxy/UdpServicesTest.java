package io.argosy.network.proxy;

import static io.argosy.network.proxy.TestProxy.entry;
import static io.argosy.network.proxy.TestProxy.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that keep one UDP socket, as real packets. */
class UdpServicesTest {
    private static final String VIP = "10.96.0.20";
    private static final int SOCKET = 40000;

    private final ServiceView dns = TestProxy.service("dns", VIP, Protocol.UDP, 53);
    private TestNetwork network;
    private TestProxy proxy;
    private String client;

    @BeforeEach
    void layOutTheNetwork() throws Exception {
        TestNetwork.requirePrograms("ip", "nft", "ncat", "ss", "sysctl", "conntrack");
        network = new TestNetwork();
        proxy = new TestProxy(network);
        client = network.pod(10);
        network.serveUdp(network.pod(11), 5353, "one");
        network.serveUdp(network.pod(12), 5353, "two");
    }

    @AfterEach
    void takeItAway() throws Exception {
        if (network != null) {
            network.close();
        }
    }

    @Test
    void aClientStaysWithAnEndpointThatDrainsAndLeavesItWhenItIsGone() throws Exception {
        proxy.serve(entry(dns, 5353, Endpoint.ready(pod(11))));
        assertThat(ask()).isEqualTo("one");

        proxy.serve(entry(dns, 5353, Endpoint.draining(pod(11)), Endpoint.ready(pod(12))));
        assertThat(ask()).isEqualTo("one");
        assertThat(network.ask(client, VIP, 53, SOCKET + 1)).as("a new client").isEqualTo("two");

        proxy.serve(entry(dns, 5353, Endpoint.ready(pod(12))));
        assertThat(ask()).isEqualTo("two");
    }

    @Test
    void whatChangedWhileNobodyLookedIsFoundAtTheStart() throws Exception {
        network.serveUdp(network.pod(13), 5354, "three");
        proxy.serve(entry(dns, 5353, Endpoint.ready(pod(11))));
        assertThat(ask()).isEqualTo("one");
        proxy.restart();
        proxy.serve(entry(dns, 5353, Endpoint.ready(pod(11)), Endpoint.ready(pod(12))));
        assertThat(ask()).as("it still serves").isEqualTo("one");

        proxy.restart();
        proxy.serve(entry(dns, 5354, Endpoint.ready(pod(13))));
        assertThat(ask()).isEqualTo("three");
    }

    private String ask() throws Exception {
        return network.ask(client, VIP, 53, SOCKET);
    }
}
