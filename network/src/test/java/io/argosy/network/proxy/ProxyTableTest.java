package io.argosy.network.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.RoutesInMemory;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.TestServices;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real packets through real rules, in network namespaces that the test makes itself. */
class ProxyTableTest {
    private static final NamespacedName WEB = NamespacedName.of("default", "web");
    private static final String VIP = "10.96.0.20";
    private static final ProxyConfig CONFIG = new ProxyConfig(
            "argosy-test",
            List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")),
            List.of(Cidr.parse("10.96.0.0/16"), Cidr.parse("fd00:10:96::/112")),
            "node-1",
            "",
            true,
            0x4000);
    private static final ServiceView.Port HTTP = new ServiceView.Port("http", Protocol.TCP, 80, 0);

    private TestNetwork network;
    private ProxyTable proxy;
    private final Set<NamespacedName> served = new HashSet<>();
    private final List<String> scripts = new ArrayList<>();

    @BeforeEach
    void layOutTheNetwork() throws Exception {
        TestNetwork.requirePrograms("ip", "nft", "ncat", "ss", "sysctl");
        network = new TestNetwork();
        proxy = table();
    }

    @AfterEach
    void takeItAway() throws Exception {
        if (network != null) {
            network.close();
        }
    }

    private ProxyTable table() {
        Nft nft = Nft.command(TestNetwork.inside(network.node, "nft"));
        return new ProxyTable(
                CONFIG,
                script -> {
                    scripts.add(script);
                    nft.apply(script);
                },
                new ConntrackTool(List.of(TestNetwork.inside(network.node, "conntrack"))));
    }

    /** Programs exactly these Services: what was served before and is not among them is gone. */
    private Map<NamespacedName, String> serve(ServiceEntry... entries) throws IOException, InterruptedException {
        Map<NamespacedName, ServiceEntry> changes = new HashMap<>();
        served.forEach(name -> changes.put(name, null));
        changes.putAll(TestServices.byName(entries));
        served.clear();
        served.addAll(TestServices.byName(entries).keySet());
        return proxy.program(changes);
    }

    @Test
    void aVirtualAddressLeadsToAPodFromPodsAndFromTheNode() throws Exception {
        network.outsider();
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        serve(entry(web(), Endpoint.ready(ip(11))));

        assertThat(network.get(client, VIP, 80)).isEqualTo("one from 10.244.0.10");
        assertThat(network.get(network.node, VIP, 80)).isEqualTo("one from 10.244.0.1");
    }

    @Test
    void connectionsSpreadEvenlyOverTheEndpoints() throws Exception {
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        network.serve(network.pod(12), 8080, "two");
        serve(entry(web(), Endpoint.ready(ip(11)), Endpoint.ready(ip(12))));

        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            seen.merge(network.get(client, VIP, 80), 1, Integer::sum);
        }
        assertThat(seen).containsOnlyKeys("one from 10.244.0.10", "two from 10.244.0.10");
        assertThat(seen.values()).allMatch(count -> count >= 5);
    }

    @Test
    void moreEndpointsThanTheSharedChainsHoldAreChosenByOneOfItsOwn() throws Exception {
        String client = network.pod(10);
        Endpoint[] endpoints = new Endpoint[9];
        for (int i = 0; i < endpoints.length; i++) {
            network.serve(network.pod(11 + i), 8080, "pod" + i);
            endpoints[i] = Endpoint.ready(ip(11 + i));
        }
        serve(entry(web(), endpoints));

        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            seen.merge(network.get(client, VIP, 80), 1, Integer::sum);
        }
        assertThat(seen).doesNotContainKey("").hasSizeGreaterThan(4);
    }

    @Test
    void aServiceWithoutEndpointsRefusesAtOnce() throws Exception {
        network.outsider();
        String client = network.pod(10);
        serve(entry(web()));

        assertThat(network.refusal(client, VIP, 80)).contains("Connection refused");
        assertThat(network.refusal(network.node, VIP, 80)).contains("Connection refused");
        assertThat(network.refusal(client, VIP, 81))
                .as("a port it does not have")
                .contains("Connection refused");
    }

    @Test
    void anEndpointThatGoesAwayIsNoLongerUsedAndOnlyTheChangeIsSent() throws Exception {
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        network.serve(network.pod(12), 8080, "two");
        serve(entry(web(), Endpoint.ready(ip(11)), Endpoint.ready(ip(12))));
        serve(entry(web(), Endpoint.ready(ip(12))));

        for (int i = 0; i < 10; i++) {
            assertThat(network.get(client, VIP, 80)).startsWith("two");
        }
        assertThat(scripts.getLast().lines())
                .containsExactlyInAnyOrder(
                        "delete element ip argosy-test service-ips { 10.96.0.20 . tcp . 80 : goto spread-2 }",
                        "delete element ip argosy-test targets-2 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.11 . 8080,"
                                + " 10.96.0.20 . tcp . 80 . 1 : 10.244.0.12 . 8080 }",
                        "add element ip argosy-test service-ips { 10.96.0.20 . tcp . 80 : goto spread-1 }",
                        "add element ip argosy-test targets-1 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.12 . 8080 }",
                        "delete element ip argosy-test hairpin { 10.244.0.11 . 10.244.0.11 }");
        int sent = scripts.size();
        serve(entry(web(), Endpoint.ready(ip(12))));
        assertThat(scripts).as("nothing changed").hasSize(sent);

        serve();
        assertThat(ruleset()).doesNotContain("default/web").doesNotContain(VIP);
    }

    @Test
    void aPodReachesItselfThroughItsService() throws Exception {
        String pod = network.pod(11);
        network.serve(pod, 8080, "myself");
        serve(entry(web(), Endpoint.ready(ip(11))));

        assertThat(network.get(pod, VIP, 80)).isEqualTo("myself from 10.244.0.1");
    }

    @ParameterizedTest
    @CsvSource({"10.96.0.20, 10.244.0.", "fd00:10:96::20, fd00:10:244::"})
    void affinityKeepsAClientAtItsEndpoint(String vip, String pods) throws Exception {
        String[] clients = {network.pod(10), network.pod(13), network.pod(14)};
        network.serve(network.pod(11), 8080, "one");
        network.serve(network.pod(12), 8080, "two");
        ServiceView sticky = new ServiceView(
                WEB,
                List.of(Ip.parse(vip)),
                false,
                Optional.empty(),
                List.of(HTTP),
                List.of(),
                List.of(),
                List.of(),
                Optional.of(Duration.ofHours(3)),
                false,
                false,
                false,
                0);
        serve(entry(sticky, Endpoint.ready(Ip.parse(pods + 11)), Endpoint.ready(Ip.parse(pods + 12))));

        for (String client : clients) {
            String first = network.get(client, vip, 80);
            assertThat(first).isNotEmpty();
            for (int i = 0; i < 10; i++) {
                assertThat(network.get(client, vip, 80)).isEqualTo(first);
            }
        }
        serve();
        assertThat(ruleset()).doesNotContain("affinity");
    }

    @Test
    void nodePortsAndExternalAddressesServeTheOutside() throws Exception {
        String outside = network.outsider();
        network.serve(network.pod(11), 8080, "one");
        serve(entry(external(false), Endpoint.ready(ip(11))));

        assertThat(network.get(outside, "192.168.77.1", 30080)).isEqualTo("one from 10.244.0.1");
        assertThat(network.get(network.node, "192.168.77.1", 30080)).startsWith("one from");
        assertThat(network.get(outside, "203.0.113.7", 80)).isEqualTo("one from 10.244.0.1");
        assertThat(network.get(outside, "203.0.113.8", 80)).isEqualTo("one from 10.244.0.1");
    }

    @Test
    void whoIsMasqueradedKeepsItsPortAlsoWhenItComesAgain() throws Exception {
        String outside = network.outsider();
        network.serve(network.pod(11), 8080, "port $NCAT_REMOTE_PORT");
        serve(entry(external(false), Endpoint.ready(ip(11))));

        for (int i = 0; i < 3; i++) {
            assertThat(network.getFrom(outside, 45678, "192.168.77.1", 30080)).isEqualTo("port 45678 from 10.244.0.1");
            assertThat(network.getFrom(network.node, 45679, VIP, 80)).isEqualTo("port 45679 from 10.244.0.1");
        }
    }

    @Test
    void localTrafficPolicyKeepsTheClientsAddressAndUsesOnlyEndpointsOfThisNode() throws Exception {
        String outside = network.outsider();
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "here");
        network.serve(network.pod(12), 8080, "there");
        Endpoint here = Endpoint.ready(ip(11)).onNode("node-1");
        Endpoint there = Endpoint.ready(ip(12)).onNode("node-2");
        serve(entry(external(true), here, there));
        for (int i = 0; i < 8; i++) {
            assertThat(network.get(outside, "192.168.77.1", 30080)).isEqualTo("here from 192.168.77.2");
        }

        serve(entry(external(true), there));
        assertThat(network.get(client, VIP, 80)).isEqualTo("there from 10.244.0.10");
        assertThat(network.get(client, "192.168.77.1", 30080))
                .as("pods may use every endpoint")
                .startsWith("there");
        assertThat(network.refusal(outside, "192.168.77.1", 30080))
                .as("no answer at all, so that the balancer looks elsewhere")
                .contains("TIMEOUT");
    }

    @Test
    void podsLeaveTheClusterWithTheNodesAddress() throws Exception {
        String outside = network.outsider();
        network.serve(outside, 9000, "world");
        String client = network.pod(10);
        serve();

        assertThat(network.get(client, "192.168.77.2", 9000)).isEqualTo("world from 192.168.77.1");
    }

    @Test
    void servicesWorkOverIpv6() throws Exception {
        String outside = network.outsider();
        network.serve(network.pod(11), 8080, "six");
        Ip vip = Ip.parse("fd00:10:96::20");
        ServiceView web = ServiceView.clusterIp(WEB, List.of(vip), List.of(HTTP));
        serve(entry(web, Endpoint.ready(Ip.parse("fd00:10:244::11"))));

        assertThat(network.get(outside, vip.toString(), 80)).isEqualTo("six from fd00:10:244::1");
        assertThat(network.get(network.node, vip.toString(), 80)).startsWith("six from");
    }

    @Test
    void aUdpClientFollowsTheServiceToItsNewEndpoint() throws Exception {
        TestNetwork.requirePrograms("conntrack");
        String client = network.pod(10);
        network.serveUdp(network.pod(11), 5353, "one");
        network.serveUdp(network.pod(12), 5353, "two");
        ServiceView dns = ServiceView.clusterIp(
                WEB, List.of(Ip.parse(VIP)), List.of(new ServiceView.Port("dns", Protocol.UDP, 53, 0)));
        serve(udp(dns, ip(11)));
        assertThat(network.ask(client, VIP, 53, 40000)).isEqualTo("one");

        serve(udp(dns, ip(12)));
        assertThat(network.ask(client, VIP, 53, 40000)).isEqualTo("two");
    }

    @Test
    void theNodeItselfMayBeAnEndpoint() throws Exception {
        network.outsider();
        String client = network.pod(10);
        network.serve(network.node, 8080, "node");
        network.serveUdp(network.node, 5353, "names");
        NamespacedName name = NamespacedName.of("kube-system", "dns");
        ServiceView dns = ServiceView.clusterIp(
                name, List.of(Ip.parse("10.96.0.10")), List.of(new ServiceView.Port("dns", Protocol.UDP, 53, 0)));
        serve(entry(web(), Endpoint.ready(ip(1))), udp(dns, ip(1)));

        assertThat(network.get(client, VIP, 80)).isEqualTo("node from 10.244.0.10");
        assertThat(network.get(network.node, VIP, 80)).startsWith("node from");
        assertThat(network.ask(client, "10.96.0.10", 53, 40000)).isEqualTo("names");
        assertThat(network.ask(network.node, "10.96.0.10", 53, 40001)).isEqualTo("names");
    }

    @Test
    void theNodeReachesServicesWithoutADefaultRouteAndTheRoutesGoAgain() throws Exception {
        HostNetwork host = host();
        network.in(network.node, "sysctl", "-qw", "net.ipv4.ip_forward=0");
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        serve(entry(web(), Endpoint.ready(ip(11))));
        host.prepare(CONFIG.serviceCidrs());
        host.prepare(CONFIG.serviceCidrs());

        assertThat(network.get(client, VIP, 80)).isEqualTo("one from 10.244.0.10");
        assertThat(network.get(network.node, VIP, 80)).isEqualTo("one from 10.244.0.1");
        serve(entry(web()));
        assertThat(network.refusal(client, VIP, 80)).contains("Connection refused");
        assertThat(network.refusal(network.node, VIP, 80)).contains("Connection refused");
        host.cleanup();
        host.cleanup();
        assertThat(network.in(network.node, "ip", "route") + network.in(network.node, "ip", "-6", "route"))
                .doesNotContain(" lo ");
    }

    @Test
    void anAddedRangeIsServedAndRefusedAsTheFirstIs() throws Exception {
        HostNetwork host = host();
        List<Cidr> ranges = new ArrayList<>(CONFIG.serviceCidrs());
        host.prepare(ranges);
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        ServiceView further =
                ServiceView.clusterIp(WEB, List.of(Ip.parse("10.97.0.20"), Ip.parse("fd00:10:97::20")), List.of(HTTP));
        serve(entry(further, Endpoint.ready(ip(11)), Endpoint.ready(Ip.parse("fd00:10:244::11"))));
        assertThat(network.refusal(network.node, "10.97.0.20", 80))
                .as("without a route")
                .contains("Network is unreachable");

        ranges.addAll(List.of(Cidr.parse("10.97.0.0/24"), Cidr.parse("fd00:10:97::/112")));
        host.prepare(ranges);
        proxy.serve(ranges);

        for (String address : List.of("10.97.0.20", "fd00:10:97::20")) {
            assertThat(network.get(client, address, 80)).as(address).startsWith("one from");
            assertThat(network.get(network.node, address, 80)).as(address).startsWith("one from");
            assertThat(network.refusal(client, address, 81)).as(address).contains("Connection refused");
        }
        assertThat(scripts.getLast().lines())
                .as("only the chain of what is refused")
                .allMatch(line -> line.contains(" argosy-test unserved"))
                .contains(
                        "add rule ip argosy-test unserved ip daddr 10.96.0.0/16 goto drop-it",
                        "add rule ip argosy-test unserved ip daddr 10.97.0.0/24 goto drop-it",
                        "add rule ip6 argosy-test unserved ip6 daddr fd00:10:97::/112 goto drop-it");
        assertThat(ruleset()).contains("10.97.0.0/24");

        host.prepare(CONFIG.serviceCidrs());
        proxy.serve(CONFIG.serviceCidrs());
        assertThat(ruleset()).doesNotContain("10.97.0.0/24");
        assertThat(network.in(network.node, "ip", "route"))
                .contains("10.96.0.0/16 dev lo")
                .doesNotContain("10.97.0.0");
    }

    private HostNetwork host() {
        return new HostNetwork(new RoutesInMemory(), List.of(TestNetwork.inside(network.node)));
    }

    @Test
    @Timeout(30)
    void anOpenConnectionOutlivesTheProcessAndEvenTheService() throws Exception {
        String client = network.pod(10);
        network.serveEcho(network.pod(11), 8080);
        serve(entry(web(), Endpoint.ready(ip(11))));
        Process connection = network.connect(client, VIP, 80);
        try (BufferedWriter out = connection.outputWriter();
                BufferedReader in = connection.inputReader()) {
            assertThat(echo(out, in, "before")).isEqualTo("before");
            table().program(TestServices.byName(entry(web(), Endpoint.ready(ip(11)))));
            assertThat(echo(out, in, "after")).isEqualTo("after");
            table().program(Map.of());
            assertThat(echo(out, in, "still")).isEqualTo("still");
        }
    }

    private static String echo(BufferedWriter out, BufferedReader in, String line) throws IOException {
        out.write(line + "\n");
        out.flush();
        return in.readLine();
    }

    @Test
    void aNewProcessTakesOverAndCleanupLeavesNothing() throws Exception {
        String client = network.pod(10);
        network.serve(network.pod(11), 8080, "one");
        serve(entry(web(), Endpoint.ready(ip(11))));
        network.in(network.node, "nft", "add", "table", "ip", "of-somebody-else");

        ProxyTable next = table();
        next.program(TestServices.byName(entry(web(), Endpoint.ready(ip(11)))));
        assertThat(network.get(client, VIP, 80)).startsWith("one");
        assertThat(network.in(network.node, "nft", "list", "table", "ip", "argosy-test"))
                .containsOnlyOnce("chain nat-prerouting");

        next.cleanup();
        next.cleanup();
        assertThat(ruleset().strip()).isEqualTo("table ip of-somebody-else {\n}");
    }

    private String ruleset() throws Exception {
        return network.in(network.node, "nft", "list", "ruleset");
    }

    private static Ip ip(int n) {
        return Ip.parse("10.244.0." + n);
    }

    private static ServiceView web() {
        return ServiceView.clusterIp(WEB, List.of(Ip.parse(VIP)), List.of(HTTP));
    }

    private static ServiceView external(boolean local) {
        return new ServiceView(
                WEB,
                List.of(Ip.parse(VIP)),
                false,
                Optional.empty(),
                List.of(new ServiceView.Port("http", Protocol.TCP, 80, 30080)),
                List.of(Ip.parse("203.0.113.7")),
                List.of(Ip.parse("203.0.113.8")),
                List.of(),
                Optional.empty(),
                false,
                local,
                false,
                0);
    }

    private static ServiceEntry entry(ServiceView service, Endpoint... endpoints) {
        EndpointGroup.Port port = new EndpointGroup.Port("http", Protocol.TCP, 8080);
        return new ServiceEntry(
                service, List.of(new EndpointGroup(WEB, "web-1", List.of(port), Arrays.asList(endpoints))));
    }

    private static ServiceEntry udp(ServiceView service, Ip endpoint) {
        EndpointGroup.Port port = new EndpointGroup.Port("dns", Protocol.UDP, 5353);
        return new ServiceEntry(
                service, List.of(new EndpointGroup(WEB, "web-1", List.of(port), List.of(Endpoint.ready(endpoint)))));
    }
}
