package io.argosy.network.proxy;

import static io.argosy.network.proxy.TestProxy.entry;
import static io.argosy.network.proxy.TestProxy.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may come to a Service and whom it remembers, as real packets; and that one Service does not spoil it for the others. */
class ClientsTest {
    private static final NamespacedName WEB = NamespacedName.of("default", "web");
    private static final String VIP = "10.96.0.20";

    private TestNetwork network;
    private TestProxy proxy;

    @BeforeEach
    void layOutTheNetwork() throws Exception {
        TestNetwork.requirePrograms("ip", "nft", "ncat", "ss", "sysctl");
        network = new TestNetwork();
        proxy = new TestProxy(network);
    }

    @AfterEach
    void takeItAway() throws Exception {
        if (network != null) {
            network.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.20, 10.244.0.11, 203.0.113.8, 192.168.77.2/32, 192.168.77.3/32",
        "fd00:10:96::20, fd00:10:244::11, fd00:203::8, fd00:77::2/128, fd00:77::3/128"
    })
    void onlyClientsOfTheSourceRangesReachTheBalancersAddress(
            String vip, String pod, String balancer, String ours, String others) throws Exception {
        String outside = network.outsider();
        network.serve(network.pod(11), 8080, "one");
        Endpoint endpoint = Endpoint.ready(Ip.parse(pod));
        proxy.serve(entry(balanced(vip, balancer, others), 8080, endpoint));
        assertThat(network.refusal(outside, balancer, 80)).contains("TIMEOUT");
        assertThat(network.get(outside, vip, 80))
                .as("the address inside is not concerned")
                .startsWith("one");

        proxy.serve(entry(balanced(vip, balancer, others, ours), 8080, endpoint));
        assertThat(network.get(outside, balancer, 80)).startsWith("one");

        proxy.serve(entry(balanced(vip, balancer, others), 8080, endpoint));
        assertThat(network.refusal(outside, balancer, 80)).contains("TIMEOUT");
        proxy.serve(entry(balanced(vip, balancer), 8080, endpoint));
        assertThat(network.get(outside, balancer, 80)).startsWith("one");
    }

    @Test
    void aClientThatStaysAwayLongEnoughIsForgotten() throws Exception {
        String client = network.outsider();
        network.serve(network.pod(11), 8080, "one");
        network.serve(network.pod(12), 8080, "two");
        ServiceView sticky = view(VIP, List.of(), List.of(), Optional.of(Duration.ofSeconds(1)));
        proxy.serve(entry(sticky, 8080, Endpoint.ready(pod(11)), Endpoint.ready(pod(12))));

        String first = network.get(client, VIP, 80);
        assertThat(first).isNotEmpty();
        awaitAnother(client, VIP, 80, first);
        awaitAnother(client, "192.168.77.1", 30080, first);
    }

    /** Each time it was forgotten it may come to the other endpoint, and some time it does. */
    private void awaitAnother(String client, String address, int port, String first) throws Exception {
        for (int i = 0; i < 30; i++) {
            awaitForgotten();
            String answer = network.get(client, address, port);
            assertThat(answer).isNotEmpty();
            if (!answer.equals(first)) {
                return;
            }
        }
        throw new AssertionError("thirty times the same endpoint");
    }

    private void awaitForgotten() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (remembered().contains("expires")) {
            assertThat(System.nanoTime()).as("forgotten in time").isLessThan(end);
        }
    }

    private String remembered() throws Exception {
        return network.in(network.node, "nft", "list", "sets");
    }

    @Test
    void oneNodePortServesTwoProtocols() throws Exception {
        String outside = network.outsider();
        String pod = network.pod(11);
        network.serve(pod, 5353, "stream");
        network.serveUdp(pod, 5353, "datagram");
        ServiceView stream = view(VIP, List.of(), List.of(), Optional.empty());
        ServiceView datagram = ServiceView.clusterIp(
                NamespacedName.of("default", "names"),
                List.of(Ip.parse("10.96.0.21")),
                List.of(new ServiceView.Port("main", Protocol.UDP, 53, 30080)));
        proxy.serve(entry(stream, 5353, Endpoint.ready(pod(11))), entry(datagram, 5353, Endpoint.ready(pod(11))));

        assertThat(network.get(outside, "192.168.77.1", 30080)).startsWith("stream");
        assertThat(network.ask(outside, "192.168.77.1", 30080, 40000)).isEqualTo("datagram");
    }

    @Test
    void aServiceThatTheKernelDoesNotTakeIsLeftOutAndTheOthersAreServed() throws Exception {
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        network.serve(network.pod(12), 8080, "two");
        ServiceEntry bad =
                entry(TestProxy.service("bad", "10.96.0.30", Protocol.TCP, 80), 70_000, Endpoint.ready(pod(11)));
        ServiceEntry good = entry(TestProxy.service("good", VIP, Protocol.TCP, 80), 8080, Endpoint.ready(pod(11)));
        assertThat(proxy.serve(bad, good)).containsOnlyKeys(NamespacedName.of("default", "bad"));
        assertThat(network.get(client, VIP, 80)).startsWith("one");

        ServiceEntry changed = entry(TestProxy.service("good", VIP, Protocol.TCP, 80), 8080, Endpoint.ready(pod(12)));
        assertThat(proxy.serve(bad, changed)).containsOnlyKeys(NamespacedName.of("default", "bad"));
        assertThat(network.get(client, VIP, 80)).startsWith("two");

        assertThat(proxy.serve(
                        entry(TestProxy.service("bad", "10.96.0.30", Protocol.TCP, 80), 8080, Endpoint.ready(pod(11)))))
                .isEmpty();
        assertThat(network.get(client, "10.96.0.30", 80)).startsWith("one");
    }

    private static ServiceView balanced(String vip, String balancer, String... ranges) {
        return view(
                vip,
                List.of(Ip.parse(balancer)),
                List.of(ranges).stream().map(Cidr::parse).toList(),
                Optional.empty());
    }

    private static ServiceView view(String vip, List<Ip> balancers, List<Cidr> ranges, Optional<Duration> affinity) {
        return new ServiceView(
                WEB,
                List.of(Ip.parse(vip)),
                false,
                Optional.empty(),
                List.of(new ServiceView.Port("main", Protocol.TCP, 80, 30080)),
                List.of(),
                balancers,
                ranges,
                affinity,
                false,
                false,
                false,
                0);
    }
}
