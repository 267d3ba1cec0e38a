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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

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
                service(false, true),
                Endpoint.draining(ip(1)).onNode("here"),
                Endpoint.ready(ip(2)).onNode("there"));
        assertThat(selection.cluster()).containsExactly(target(2));
        assertThat(selection.local()).containsExactly(target(1));
    }

    @Test
    void zoneHintsAreFollowedIfAllHaveThemAndOneIsForUs() {
        Endpoint near = hinted(1, "zone-a");
        Endpoint far = hinted(2, "zone-b");
        assertThat(cluster(near, far)).containsExactly(target(1));
        assertThat(cluster(near, Endpoint.ready(ip(3)))).containsExactly(target(1), target(3));
        assertThat(cluster(far)).containsExactly(target(2));
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
        assertThat(EndpointSelection.select(service(false, false), HTTP, List.of(group), Family.IPV4, CONFIG)
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

    @Test
    void udpFlowsToVanishedEndpointsAreStaleAndSoIsWhatCameBeforeTheFirst() {
        Optional<Ip> vip = Optional.of(Ip.parse("10.96.0.10"));
        UdpFlow one = new UdpFlow(vip, 53, Optional.of(target(1)));
        UdpFlow two = new UdpFlow(vip, 53, Optional.of(target(2)));
        UdpFlow any = new UdpFlow(vip, 53, Optional.empty());
        assertThat(UdpFlow.stale(Set.of(one), Set.of(two))).containsExactly(one);
        assertThat(UdpFlow.stale(Set.of(one), Set.of(one, two))).isEmpty();
        assertThat(UdpFlow.stale(Set.of(), Set.of(one))).containsExactly(any);
    }

    private static List<Target> cluster(Endpoint... endpoints) {
        return select(service(false, false), endpoints).cluster();
    }

    private static EndpointSelection select(ServiceView service, Endpoint... endpoints) {
        return EndpointSelection.select(service, HTTP, groups(endpoints), Family.IPV4, CONFIG);
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

    private static Endpoint hinted(int n, String zone) {
        return new Endpoint(ip(n), Optional.empty(), Optional.empty(), true, true, false, Set.of(zone));
    }

    private static Ip ip(int n) {
        return Ip.parse("10.244.0." + n);
    }

    private static Target target(int n) {
        return new Target(ip(n), 8080);
    }
}
