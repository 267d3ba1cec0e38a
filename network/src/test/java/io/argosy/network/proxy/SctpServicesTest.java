package io.argosy.network.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.TestServices;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SCTP through real rules: by sockets where the kernel has them, packet by packet everywhere. */
class SctpServicesTest {
    private static final NamespacedName SIGNALS = NamespacedName.of("default", "signals");
    private static final int PORT = 3868;
    private static final int TARGET = 8080;
    private static final ProxyConfig CONFIG = ProxyConfig.of(
            "argosy-test",
            List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")),
            List.of(Cidr.parse("10.96.0.0/16"), Cidr.parse("fd00:10:96::/112")),
            "node-1");

    private TestNetwork network;
    private String client;
    private String server;

    @BeforeEach
    void layOutTheNetwork() throws Exception {
        TestNetwork.requirePrograms("ip", "nft", "ncat", "ss", "sysctl");
        network = new TestNetwork();
        client = network.pod(10);
        server = network.pod(11);
    }

    @AfterEach
    void takeItAway() throws Exception {
        if (network != null) {
            network.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"10.96.0.20, 10.244.0.11", "fd00:10:96::20, fd00:10:244::11"})
    void anAssociationLeadsToThePodAndItsAnswerComesFromTheService(String vip, String pod) throws Exception {
        serve(vip, pod);
        String family = vip.contains(":") ? "ip6" : "ip";
        network.count(server, "sctp dport " + TARGET);
        network.count(client, family + " saddr " + vip + " sctp sport " + PORT);

        new RawSctp(client, RawSctp.INIT, 40000, Ip.parse(vip), PORT).send();
        network.awaitCounted(server);
        Ip asker = Ip.parse(pod.substring(0, pod.length() - 2) + "10");
        new RawSctp(server, RawSctp.INIT_ACK, TARGET, asker, 40000).send();
        network.awaitCounted(client);
    }

    @ParameterizedTest
    @CsvSource({"10.96.0.20, 10.244.0.11", "fd00:10:96::20, fd00:10:244::11"})
    void socketsAreServedWhereTheKernelHasThem(String vip, String pod) throws Exception {
        TestNetwork.requireSctp();
        network.serveSctp(server, TARGET, "streams");
        serve(vip, pod);
        assertThat(network.getSctp(client, vip, PORT)).startsWith("streams");
    }

    private void serve(String vip, String pod) throws Exception {
        ServiceView signals = ServiceView.clusterIp(
                SIGNALS, List.of(Ip.parse(vip)), List.of(new ServiceView.Port("s", Protocol.SCTP, PORT, 0)));
        EndpointGroup pods = new EndpointGroup(
                SIGNALS,
                "signals-1",
                List.of(new EndpointGroup.Port("s", Protocol.SCTP, TARGET)),
                List.of(Endpoint.ready(Ip.parse(pod))));
        new ProxyTable(CONFIG, Nft.command(TestNetwork.inside(network.node, "nft")), ways -> {})
                .program(TestServices.byName(new ServiceEntry(signals, List.of(pods))));
    }
}
