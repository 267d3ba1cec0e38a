package io.argosy.network.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.TestServices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which rules stand for which Service, without a kernel. */
class ServiceRulesTest {
    private static final NamespacedName WEB = NamespacedName.of("default", "web");
    private static final ServiceView.Port HTTP = new ServiceView.Port("http", Protocol.TCP, 80, 30080);
    private static final ProxyConfig CONFIG = new ProxyConfig(
            "argosy",
            List.of(Cidr.parse("10.244.0.0/16")),
            List.of(Cidr.parse("10.96.0.0/16")),
            "here",
            "zone-a",
            true,
            0x4000);
    private static final String KEY = "10.96.0.20 . tcp . 80";

    @Test
    void readyEndpointsAreUsedAndTerminatingOnesOnlyWhenNoneIsReady() {
        assertThat(cluster(Endpoint.ready(ip(1)), Endpoint.draining(ip(2)), Endpoint.notReady(ip(3))))
                .containsExactly(target(1));
        assertThat(cluster(Endpoint.draining(ip(2)), Endpoint.notReady(ip(3)))).containsExactly(target(2));
        assertThat(cluster(Endpoint.notReady(ip(3)))).isEmpty();
    }

    @Test
    void localTerminatingEndpointsServeLocalTrafficAlthoughOthersAreReadyElsewhere() {
        EndpointSelection selection = select(
                Endpoint.draining(ip(1)).onNode("here"), Endpoint.ready(ip(2)).onNode("there"));
        assertThat(selection.cluster()).containsExactly(target(2));
        assertThat(selection.local()).containsExactly(target(1));
    }

    /** This node is {@code here} in zone-a; each endpoint is its number, whether it is ready, and its hints for zones and nodes. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        zone hints                           | 1 ready zone-a -, 2 ready zone-b -                | 1
        several zones for one                | 1 ready zone-b+zone-a -, 2 ready zone-b -         | 1
        one without a zone hint              | 1 ready zone-a -, 3 ready - -                     | 1 3
        none for our zone                    | 2 ready zone-b -                                  | 2
        the hint of one not ready            | 1 waiting zone-a -, 2 ready zone-b -              | 2
        one without a hint that is not ready | 1 ready zone-a -, 2 ready zone-b -, 3 waiting - - | 1
        node hints go first                  | 1 ready zone-a here, 2 ready zone-a there         | 1
        no node hint for us                  | 1 ready zone-a there, 2 ready zone-b there        | 1
        one without a node hint              | 1 ready zone-a here, 2 ready zone-a -             | 1 2
        node hints alone, none for us        | 1 ready - there, 2 ready - there                  | 1 2
        """)
    void hintsAreFollowedIfAllReadyOnesHaveThemAndOneIsForUs(String name, String endpoints, String expected) {
        Endpoint[] hinted = Arrays.stream(endpoints.split(", "))
                .map(text -> text.split(" "))
                .map(words -> {
                    Ip ip = ip(Integer.parseInt(words[0]));
                    Endpoint plain = words[1].equals("ready") ? Endpoint.ready(ip) : Endpoint.notReady(ip);
                    return plain.hinted(names(words[2]), names(words[3]));
                })
                .toArray(Endpoint[]::new);
        assertThat(cluster(hinted))
                .containsExactly(Arrays.stream(expected.split(" "))
                        .map(n -> target(Integer.parseInt(n)))
                        .toArray(Target[]::new));
    }

    private static Set<String> names(String joined) {
        return joined.equals("-") ? Set.of() : Set.of(joined.split("\\+"));
    }

    @Test
    void aPortLeadsToTheTargetPortOfItsNameAndProtocol() {
        EndpointGroup group = new EndpointGroup(
                WEB,
                "web-1",
                List.of(
                        new EndpointGroup.Port("http", Protocol.TCP, 8080),
                        new EndpointGroup.Port("metrics", Protocol.TCP, 9090),
                        new EndpointGroup.Port("http", Protocol.UDP, 7070)),
                List.of(Endpoint.ready(ip(1))));
        assertThat(EndpointSelection.select(HTTP, List.of(group), Family.IPV4, CONFIG)
                        .cluster())
                .containsExactly(new Target(ip(1), 8080));
    }

    @Test
    void internalTrafficPolicyLocalIsSilentWhereOnlyOtherNodesServe() {
        RuleSet rules = rules(service(true, false), Endpoint.ready(ip(2)).onNode("there"));
        assertThat(rules.elements().get(BaseRules.NO_ENDPOINT_IPS)).containsEntry(KEY, "goto drop-it");
        assertThat(rules.elements().get(BaseRules.SERVICE_NODEPORTS)).containsEntry("tcp . 30080", "goto node-port-1");
    }

    @Test
    void headlessServicesAndExternalNamesHaveNoRules() {
        assertThat(rules(ServiceView.headless(WEB, List.of(HTTP)), Endpoint.ready(ip(1))))
                .isEqualTo(RuleSet.EMPTY);
        assertThat(rules(ServiceView.externalName(WEB, "example.com"))).isEqualTo(RuleSet.EMPTY);
    }

    @Test
    void theFirstOfTwoServicesKeepsAnAddressBothClaim() {
        ServiceView other = ServiceView.clusterIp(
                NamespacedName.of("default", "thief"), List.of(Ip.parse("10.96.0.20")), List.of(HTTP));
        ProxyRules rules = new ProxyRules(Family.IPV4, CONFIG);
        ServiceEntry mine = new ServiceEntry(service(false, false), groups(Endpoint.ready(ip(1))));
        ServiceEntry theirs = new ServiceEntry(other, List.of());
        assertThat(rules.change(TestServices.byName(mine)).to().elements().get(BaseRules.SERVICE_IPS))
                .containsEntry(KEY, "goto spread-1");
        assertThat(rules.change(TestServices.byName(theirs)).to().elements().get(BaseRules.CLUSTER_IPS))
                .as("the address is in the set already")
                .isNull();
        assertThat(rules.whole().elements().get(BaseRules.CLUSTER_IPS)).containsOnlyKeys("10.96.0.20");
        Map<NamespacedName, ServiceEntry> gone = new HashMap<>();
        gone.put(other.name(), null);
        assertThat(rules.change(gone).from().elements())
                .containsOnlyKeys(BaseRules.NO_ENDPOINT_IPS, BaseRules.NO_ENDPOINT_NODEPORTS);
        gone.clear();
        gone.put(WEB, null);
        assertThat(rules.change(gone).from().elements().get(BaseRules.CLUSTER_IPS))
                .containsOnlyKeys("10.96.0.20");
        assertThat(rules.whole().elements()).isEmpty();
    }

    @Test
    void manyChangesAtOnceAreToldAsTheirSum() {
        ServiceView other = ServiceView.clusterIp(
                NamespacedName.of("default", "thief"), List.of(Ip.parse("10.96.0.20")), List.of(HTTP));
        ProxyRules rules = new ProxyRules(Family.IPV4, CONFIG);
        rules.change(TestServices.byName(new ServiceEntry(other, List.of())));
        Map<NamespacedName, ServiceEntry> swap =
                TestServices.byName(new ServiceEntry(service(false, false), List.of()));
        swap.put(other.name(), null);
        ProxyRules.Change change = rules.change(swap);
        assertThat(change)
                .as("address and port go from one to the other; the kernel need not know")
                .isEqualTo(new ProxyRules.Change(RuleSet.EMPTY, RuleSet.EMPTY));
    }

    @Test
    void aServiceIsAFewElementsAndNoChain() {
        RuleSet rules = rules(service(false, false), Endpoint.ready(ip(1)), Endpoint.ready(ip(2)));
        assertThat(rules.chains()).isEmpty();
        assertThat(rules.elements().get("targets-2"))
                .isEqualTo(Map.of(KEY + " . 0", "10.244.0.1 . 8080", KEY + " . 1", "10.244.0.2 . 8080"));
        assertThat(rules.elements().get("node-port-targets-2"))
                .isEqualTo(Map.of("tcp . 30080 . 0", "10.244.0.1 . 8080", "tcp . 30080 . 1", "10.244.0.2 . 8080"));
    }

    @Test
    void whatIsReferredToComesFirstAndGoesLast() {
        RuleSet with = rules(service(false, true), Endpoint.ready(ip(1)).onNode("here"));
        String element = " element ip t service-nodeports { tcp . 30080 : goto ext-default/web/tcp/80 }";
        List<String> coming =
                NftScript.change(Family.IPV4, "t", RuleSet.EMPTY, with).lines().toList();
        assertThat(coming.indexOf("add chain ip t ext-default/web/tcp/80"))
                .isNotNegative()
                .isLessThan(coming.indexOf("add" + element));
        List<String> going =
                NftScript.change(Family.IPV4, "t", with, RuleSet.EMPTY).lines().toList();
        assertThat(going.indexOf("delete chain ip t ext-default/web/tcp/80"))
                .isGreaterThan(going.indexOf("delete" + element));
        assertThat(going.indexOf("delete" + element)).isNotNegative();
        assertThat(NftScript.change(Family.IPV4, "t", with, with)).isEmpty();
    }

    /** A UDP Service of one address and node port; the flow was led to the first of the endpoints. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        still serves             | 1 ready, 2 ready      | false
        drains beside another    | 1 draining, 2 ready   | false
        gone                     | 2 ready               | true
        not ready beside another | 1 waiting, 2 ready    | true
        not ready, and none else | 1 waiting, 2 waiting  | false
        gone, and none else      | 2 waiting             | true
        """)
    void aUdpFlowStaysWhereSomebodyServes(String name, String endpoints, boolean stale) {
        Endpoint[] some = Arrays.stream(endpoints.split(", "))
                .map(text -> {
                    Ip ip = ip(Integer.parseInt(text.substring(0, 1)));
                    return text.endsWith("ready")
                            ? Endpoint.ready(ip)
                            : text.endsWith("draining") ? Endpoint.draining(ip) : Endpoint.notReady(ip);
                })
                .toArray(Endpoint[]::new);
        ServiceView.Port dns = new ServiceView.Port("dns", Protocol.UDP, 53, 30053);
        EndpointGroup group = new EndpointGroup(
                WEB, "web-1", List.of(new EndpointGroup.Port("dns", Protocol.UDP, 8080)), Arrays.asList(some));
        ServiceView service = ServiceView.clusterIp(WEB, List.of(Ip.parse("10.96.0.10")), List.of(dns));
        UdpWays ways = new UdpWays(Family.IPV4, UdpWays.of(service, List.of(group), Family.IPV4));
        List<UdpWays.Flow> flows = ConntrackTool.flows("""
            udp      17 29 src=10.244.0.9 dst=10.96.0.10 sport=4000 dport=53 src=10.244.0.1 dst=10.244.0.9 sport=8080 dport=4000 [ASSURED] mark=0 use=1
            udp      17 29 src=192.168.0.9 dst=192.168.0.1 sport=4000 dport=30053 [UNREPLIED] src=10.244.0.1 dst=10.244.0.254 sport=8080 dport=4000 mark=0 use=1
            udp      17 29 src=10.244.0.9 dst=198.51.100.7 sport=4000 dport=30053 src=198.51.100.7 dst=192.168.0.1 sport=30053 dport=4000 mark=0 use=1
            udp      17 29 src=10.244.0.9 dst=10.96.0.11 sport=4000 dport=53 src=10.244.0.1 dst=10.244.0.9 sport=8080 dport=4000 mark=0 use=1
            conntrack v1.4.7 (conntrack-tools): 4 flow entries have been shown.
            """);
        assertThat(flows).hasSize(4);
        assertThat(ways.stale(flows))
                .as("those to its address and its node port, and neither what leaves the node nor what is another's")
                .isEqualTo(stale ? flows.subList(0, 2) : List.of());
    }

    @Test
    void whatCameBeforeTheFirstEndpointIsStale() {
        ServiceView.Port dns = new ServiceView.Port("http", Protocol.UDP, 53, 0);
        ServiceView service = ServiceView.clusterIp(WEB, List.of(Ip.parse("10.96.0.10")), List.of(dns));
        UdpWays ways = new UdpWays(Family.IPV4, UdpWays.of(service, List.of(), Family.IPV4));
        Ip vip = Ip.parse("10.96.0.10");
        assertThat(ways.stale(List.of(new UdpWays.Flow(ip(9), vip, 53, new Target(vip, 53), ip(9)))))
                .hasSize(1);
    }

    @Test
    void flowsAreLookedAtOnceForAllAndThenForWhatChanged() {
        ServiceEntry dns = udp("dns", "10.96.0.10", Endpoint.ready(ip(1)), Endpoint.ready(ip(2)));
        ServiceEntry other = udp("other", "10.96.0.11", Endpoint.ready(ip(3)));
        ProxyRules rules = new ProxyRules(Family.IPV4, CONFIG);
        rules.change(TestServices.byName(dns, other));
        assertThat(rules.settle()).hasSize(2);
        assertThat(rules.settle()).isEmpty();

        rules.change(TestServices.byName(udp("dns", "10.96.0.10", Endpoint.draining(ip(1)), Endpoint.ready(ip(2)))));
        assertThat(rules.settle()).as("both still serve").isEmpty();
        rules.change(TestServices.byName(udp("dns", "10.96.0.10", Endpoint.ready(ip(2)))));
        assertThat(rules.settle()).isEqualTo(Map.of(front("10.96.0.10"), Set.of(target(2))));

        Map<NamespacedName, ServiceEntry> gone = new HashMap<>();
        gone.put(NamespacedName.of("default", "dns"), null);
        rules.change(gone);
        assertThat(rules.settle()).isEqualTo(Map.of(front("10.96.0.10"), Set.of()));
    }

    private static UdpWays.Front front(String address) {
        return new UdpWays.Front(Optional.of(Ip.parse(address)), 53);
    }

    private static ServiceEntry udp(String name, String address, Endpoint... endpoints) {
        NamespacedName service = NamespacedName.of("default", name);
        ServiceView.Port port = new ServiceView.Port("dns", Protocol.UDP, 53, 0);
        return new ServiceEntry(
                ServiceView.clusterIp(service, List.of(Ip.parse(address)), List.of(port)),
                List.of(new EndpointGroup(
                        service,
                        name + "-1",
                        List.of(new EndpointGroup.Port("dns", Protocol.UDP, 8080)),
                        Arrays.asList(endpoints))));
    }

    @Test
    void servicesThatTheKernelDoesNotTakeAreFoundAmongMany() throws Exception {
        ServiceEntry[] many = new ServiceEntry[100];
        Arrays.setAll(
                many,
                i -> udp("s" + i, "10.96.1." + i, Endpoint.ready(Ip.parse(i % 40 == 7 ? "10.244.9.9" : "10.244.0.1"))));
        List<String> taken = new ArrayList<>();
        ProxyTable table = new ProxyTable(CONFIG, RefusingNft.refusing("10.244.9.9", () -> false, taken), ways -> {});
        assertThat(table.program(TestServices.byName(many)))
                .containsOnlyKeys(
                        NamespacedName.of("default", "s7"),
                        NamespacedName.of("default", "s47"),
                        NamespacedName.of("default", "s87"));
        assertThat(taken).singleElement().asString().contains("10.96.1.99").doesNotContain("10.96.1.47 ");

        assertThat(table.program(TestServices.byName(many[7], udp("new", "10.96.1.200", Endpoint.ready(ip(2))))))
                .containsOnlyKeys(NamespacedName.of("default", "s7"));
        assertThat(taken.getLast()).contains("10.96.1.200").doesNotContain("delete table", "10.96.1.7 ");
    }

    @Test
    void aRefusalThatNoServiceIsToBlameForIsAFailureAndEverythingIsSentAgain() throws Exception {
        List<String> taken = new ArrayList<>();
        ProxyTable table = new ProxyTable(
                CONFIG,
                script -> {
                    if (!script.contains("delete table") && taken.size() == 1) {
                        throw new NftRefusal("somebody took the table away");
                    }
                    taken.add(script);
                },
                ways -> {});
        table.program(Map.of());
        ServiceEntry dns = udp("dns", "10.96.0.10", Endpoint.ready(ip(1)));
        assertThatThrownBy(() -> table.program(TestServices.byName(dns))).isInstanceOf(NftRefusal.class);
        table.program(TestServices.byName(dns));
        assertThat(taken.getLast()).contains("delete table", "10.96.0.10");
    }

    private static List<Target> cluster(Endpoint... endpoints) {
        return select(endpoints).cluster();
    }

    private static EndpointSelection select(Endpoint... endpoints) {
        return EndpointSelection.select(HTTP, groups(endpoints), Family.IPV4, CONFIG);
    }

    private static RuleSet rules(ServiceView service, Endpoint... endpoints) {
        return ServiceRules.of(service, groups(endpoints), Family.IPV4, CONFIG);
    }

    private static List<EndpointGroup> groups(Endpoint... endpoints) {
        EndpointGroup.Port port = new EndpointGroup.Port("http", Protocol.TCP, 8080);
        return List.of(new EndpointGroup(WEB, "web-1", List.of(port), Arrays.asList(endpoints)));
    }

    private static ServiceView service(boolean internalLocal, boolean externalLocal) {
        return new ServiceView(
                WEB,
                List.of(Ip.parse("10.96.0.20")),
                false,
                Optional.empty(),
                List.of(HTTP),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                internalLocal,
                externalLocal,
                false,
                0);
    }

    private static Ip ip(int n) {
        return Ip.parse("10.244.0." + n);
    }

    private static Target target(int n) {
        return new Target(ip(n), 8080);
    }
}
