package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.time.Clock;
import io.argosy.api.time.VirtualClock;
import io.argosy.network.dns.DnsZone;
import io.argosy.network.dns.Upstreams;
import io.argosy.network.proxy.HostNetwork;
import io.argosy.network.proxy.Nft;
import io.argosy.network.proxy.ProxyConfig;
import io.argosy.network.proxy.ProxyTable;
import io.argosy.network.proxy.RefusingNft;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServiceStatusBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

/** From objects in the cache to rules and names. */
class ServiceFeedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final NamespacedName WEB = NamespacedName.of("default", "web");
    private static final ProxyConfig CONFIG = ProxyConfig.of(
            "argosy-test", List.of(Cidr.parse("10.244.0.0/16")), List.of(Cidr.parse("10.96.0.0/16")), "node-1");

    private final FakeInformers informers = new FakeInformers();
    private final RoutesInMemory routes = new RoutesInMemory();

    /** Nothing is run: the host the tests stand on stays as it is. */
    private final HostNetwork host = new HostNetwork(routes, List.of("true"));

    private final ServiceRanges ranges =
            new ServiceRanges(informers, CONFIG.serviceCidrs(), CONFIG.podCidrs(), List.of());
    private final NodeZone zone = new NodeZone(informers, "node-1");
    private final FakeEvents events = new FakeEvents();
    private final BlockingQueue<String> scripts = new LinkedBlockingQueue<>();

    @Test
    void nothingIsProgrammedBeforeTheFirstListsAreThere() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        try (ServiceProxy proxy =
                new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone)) {
            proxy.start();
            informers.of(Service.class).put(web());
            informers.of(EndpointSlice.class).put(slice("web-1", "10.244.0.11"));
            assertThat(scripts).isEmpty();

            informers.start();
            proxy.awaitReady();
            assertThat(script())
                    .contains("delete table ip argosy-test", "10.96.0.20 . tcp . 80 : goto spread-1")
                    .contains(". 0 : 10.244.0.11 . 8080 }");
        }
    }

    @Test
    void changesOfServicesAndSlicesBecomeChangesOfRules() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        informers.start();
        try (ServiceProxy proxy =
                new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone)) {
            proxy.start();
            proxy.awaitReady();
            script();
            informers.of(Service.class).put(web());
            assertThat(script()).contains("no-endpoint-ips { 10.96.0.20 . tcp . 80 : goto reject-it }");

            informers.of(EndpointSlice.class).put(slice("web-1", "10.244.0.11"));
            assertThat(script()).contains(". 0 : 10.244.0.11 . 8080 }");

            informers.of(EndpointSlice.class).put(slice("web-2", "10.244.0.12"));
            assertThat(script())
                    .contains(
                            "add element ip argosy-test targets-2 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.11 . 8080,",
                            "80 . 1 : 10.244.0.12 . 8080 }");

            informers.of(EndpointSlice.class).remove(NamespacedName.of("default", "web-1"));
            assertThat(script())
                    .contains(
                            "add element ip argosy-test targets-1 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.12 . 8080 }");

            informers.of(Service.class).remove(WEB);
            assertThat(script())
                    .contains("delete element ip argosy-test service-ips { 10.96.0.20 . tcp . 80 : goto spread-1 }");
        }
    }

    @Test
    void anAddedRangeOfAddressesIsRoutedAndRefusedUntilItGoes() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        informers.start();
        try (ServiceProxy proxy =
                new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone)) {
            proxy.start();
            proxy.awaitReady();
            assertThat(script()).contains("10.96.0.0/16 goto drop-it");
            assertThat(routes.routed()).map(Cidr::toString).containsExactly("10.96.0.0/16");

            informers.of(ServiceCIDR.class).put(range("10.97.0.0/24"));
            assertThat(script()).contains("10.97.0.0/24 goto drop-it").contains("flush chain ip argosy-test unserved");
            assertThat(routes.routed()).map(Cidr::toString).containsExactly("10.96.0.0/16", "10.97.0.0/24");

            informers.of(ServiceCIDR.class).remove(NamespacedName.cluster("more"));
            assertThat(script()).contains("10.96.0.0/16 goto drop-it").doesNotContain("10.97.0.0");
            assertThat(routes.routed()).map(Cidr::toString).containsExactly("10.96.0.0/16");
        }
    }

    @Test
    void aRefusedChangeIsTriedAgainWithTheWholeTable() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        informers.start();
        AtomicInteger calls = new AtomicInteger();
        ProxyTable table = new ProxyTable(
                CONFIG,
                script -> {
                    if (calls.incrementAndGet() == 2) {
                        throw new IOException("nft refused the rules");
                    }
                    scripts.add(script);
                },
                ways -> {});
        try (ServiceProxy proxy = new ServiceProxy(feed, table, host, ranges, zone)) {
            proxy.start();
            proxy.awaitReady();
            script();
            informers.of(Service.class).put(web());
            assertThat(script()).contains("delete table ip argosy-test", "10.96.0.20 . tcp . 80");
        }
    }

    @Test
    void whatCannotBeUsedIsLeftOutAndToldWhileTheRestIsServed() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        EndpointSlice broken = slice("web-1", "10.244.0.11");
        broken.getPorts().getFirst().setPort(70_000);
        EndpointSlice half = slice("web-2", "10.244.0.12", "10.244.0");
        Service web = web();
        web.setStatus(new ServiceStatusBuilder()
                .withNewLoadBalancer()
                .addNewIngress()
                .withIp("rubbish")
                .endIngress()
                .endLoadBalancer()
                .build());
        informers.of(EndpointSlice.class).put(broken);
        informers.of(EndpointSlice.class).put(half);
        informers.of(Service.class).put(web);
        informers.start();
        try (ServiceProxy proxy =
                new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone)) {
            proxy.start();
            assertThat(script()).contains("targets-1 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.12 . 8080 }");
            assertThat(events.told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("Warning web ServiceNotWhollyServed: left out of the network:"
                            + " slice web-1: port 70000 is not between 1 and 65535;"
                            + " not an IP address: 10.244.0; not an IP address: rubbish");
            informers.of(Service.class).put(web);
            informers.of(EndpointSlice.class).put(slice("web-2", "10.244.0.13"));
            script();
        }
        assertThat(events.told).as("told again when it changes").hasSize(1);
    }

    @Test
    void anEventHasRoomForSoMuchAndNoMore() {
        assertThat(new Trouble("Reason", "x".repeat(1024)).message()).hasSize(1024);
        assertThat(new Trouble("Reason", "x".repeat(1025)).message())
                .hasSize(1024)
                .endsWith("x...");
    }

    @Test
    void aServiceThatTheKernelRefusesIsTriedAgainAfterAWhileAndTheOthersGoOn() throws Exception {
        VirtualClock clock = new VirtualClock(Instant.EPOCH);
        ServiceFeed feed = new ServiceFeed(informers, clock, events);
        AtomicBoolean takesAll = new AtomicBoolean();
        Nft nft = RefusingNft.refusing("10.244.0.66", takesAll::get, scripts);
        informers.start();
        try (ServiceProxy proxy = new ServiceProxy(feed, new ProxyTable(CONFIG, nft, ways -> {}), host, ranges, zone)) {
            proxy.start();
            proxy.awaitReady();
            script();
            informers.of(EndpointSlice.class).put(slice("web-1", "10.244.0.66"));
            informers.of(Service.class).put(web());
            assertThat(events.told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .startsWith("Warning web FailedToProgramService: nft refused");

            takesAll.set(true);
            clock.advance(Duration.ofSeconds(15));
            assertThat(script()).contains("10.244.0.66 . 8080").doesNotContain("delete table");
        }
    }

    @Test
    void trafficFollowsTheZoneOfTheNode() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        EndpointSlice slice = slice("web-1", "10.244.0.11", "10.244.0.12");
        slice.getEndpoints().get(0).setHints(new EndpointHints(List.of(), List.of(new ForZone("a"))));
        slice.getEndpoints().get(1).setHints(new EndpointHints(List.of(), List.of(new ForZone("b"))));
        informers.of(EndpointSlice.class).put(slice);
        informers.of(Service.class).put(web());
        informers.of(Node.class).put(node("a"));
        informers.start();
        try (ServiceProxy proxy =
                new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone)) {
            proxy.start();
            assertThat(script()).contains("targets-1 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.11 . 8080 }");
            informers.of(Node.class).put(node("b"));
            assertThat(script()).contains("targets-1 { 10.96.0.20 . tcp . 80 . 0 : 10.244.0.12 . 8080 }");
            informers.of(Node.class).put(node("c"));
            assertThat(script()).contains("add element ip argosy-test targets-2 {");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"service.kubernetes.io/service-proxy-name", "service.kubernetes.io/headless"})
    void whatAnotherProxyServesHasNamesAndNoRules(String label) throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        Service web = web();
        web.getMetadata().setLabels(Map.of(label, ""));
        informers.of(Service.class).put(web);
        informers.start();
        BlockingQueue<ServiceEntry> entries = new LinkedBlockingQueue<>();
        try (ServiceProxy proxy =
                        new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, ways -> {}), host, ranges, zone);
                ServiceFeed.Following names = feed.subscribe("names", changes -> {
                    entries.addAll(changes.values());
                    return Map.of();
                })) {
            proxy.start();
            assertThat(script()).doesNotContain("10.96.0.20");
            assertThat(entries.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .service()
                            .clusterIps())
                    .hasSize(1);
        }
    }

    private static Node node(String zone) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("node-1")
                .addToLabels("topology.kubernetes.io/zone", zone)
                .endMetadata()
                .build();
    }

    @Test
    void namesFollowTheObjects() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system(), events);
        informers.of(Service.class).put(web());
        try (ClusterDns dns = new ClusterDns(
                feed,
                ranges,
                informers,
                DnsZone.Settings.of("cluster.local"),
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                Upstreams.fixed(),
                Clock.system())) {
            dns.start();
            SimpleResolver resolver = new SimpleResolver(dns.addresses().getFirst());
            resolver.setTimeout(PATIENCE);
            informers.start();
            dns.awaitReady();
            assertThat(address(resolver, "web.default.svc.cluster.local.")).isEqualTo("10.96.0.20");

            informers.of(Service.class).remove(WEB);
            await(() -> address(resolver, "web.default.svc.cluster.local.").equals("NXDOMAIN"));
            assertThat(address(resolver, "7.0.96.10.in-addr.arpa.")).isEqualTo("NXDOMAIN");
            assertThat(address(resolver, "7.0.97.10.in-addr.arpa."))
                    .as("not ours, and nobody else to ask")
                    .isNotEqualTo("NXDOMAIN");
            informers.of(ServiceCIDR.class).put(range("10.97.0.0/24"));
            await(() -> address(resolver, "7.0.97.10.in-addr.arpa.").equals("NXDOMAIN"));
        }
    }

    /** The clock stands still: nothing between the slice and the answer waits for time to pass. */
    @Test
    void theNewAddressOfAPodIsAnsweredAtOnce() throws Exception {
        VirtualClock clock = new VirtualClock(Instant.EPOCH);
        ServiceFeed feed = new ServiceFeed(informers, clock, events);
        Service headless = web();
        headless.getSpec().setClusterIP("None");
        headless.getSpec().setClusterIPs(List.of("None"));
        informers.of(Service.class).put(headless);
        informers.of(EndpointSlice.class).put(hosting("10.244.0.5"));
        informers.start();
        try (ClusterDns dns = new ClusterDns(
                feed,
                ranges,
                informers,
                DnsZone.Settings.of("cluster.local"),
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                Upstreams.fixed(),
                clock)) {
            dns.start();
            dns.awaitReady();
            SimpleResolver resolver = new SimpleResolver(dns.addresses().getFirst());
            resolver.setTimeout(PATIENCE);
            String name = "web-0.web.default.svc.cluster.local.";
            await(() -> address(resolver, name).equals("10.244.0.5"));
            informers.of(EndpointSlice.class).put(hosting());
            await(() -> address(resolver, name).equals("NXDOMAIN"));
            informers.of(EndpointSlice.class).put(hosting("10.244.0.6"));
            await(() -> address(resolver, name).equals("10.244.0.6"));
        }
    }

    private static EndpointSlice hosting(String... addresses) {
        EndpointSlice slice = slice("web-1", addresses);
        slice.getEndpoints().forEach(endpoint -> endpoint.setHostname("web-0"));
        return slice;
    }

    private interface Check {
        boolean holds() throws Exception;
    }

    private static void await(Check check) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!check.holds()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
        }
    }

    private static String address(SimpleResolver resolver, String name) throws Exception {
        Message answer = resolver.send(Message.newQuery(Record.newRecord(Name.fromString(name), Type.A, DClass.IN)));
        List<Record> found = answer.getSection(Section.ANSWER);
        return found.isEmpty()
                ? Rcode.string(answer.getRcode())
                : found.getFirst().rdataToString();
    }

    private String script() throws InterruptedException {
        String script = scripts.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(script).as("a script in time").isNotNull();
        return script;
    }

    private static ServiceCIDR range(String cidr) {
        return new ServiceCIDRBuilder()
                .withNewMetadata()
                .withName("more")
                .endMetadata()
                .withNewSpec()
                .withCidrs(cidr)
                .endSpec()
                .build();
    }

    private static Service web() {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withType("ClusterIP")
                .withClusterIP("10.96.0.20")
                .withClusterIPs("10.96.0.20")
                .addNewPort()
                .withName("http")
                .withPort(80)
                .withProtocol("TCP")
                .withTargetPort(new IntOrString(8080))
                .endPort()
                .endSpec()
                .build();
    }

    private static EndpointSlice slice(String name, String... addresses) {
        EndpointSliceBuilder slice = new EndpointSliceBuilder()
                .withAddressType("IPv4")
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToLabels("kubernetes.io/service-name", "web")
                .endMetadata()
                .addNewPort()
                .withName("http")
                .withPort(8080)
                .withProtocol("TCP")
                .endPort();
        for (String address : addresses) {
            slice.addNewEndpoint()
                    .withAddresses(address)
                    .withNewConditions()
                    .withReady(true)
                    .endConditions()
                    .endEndpoint();
        }
        return slice.build();
    }
}
