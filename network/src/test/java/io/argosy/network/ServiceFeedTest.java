package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.time.Clock;
import io.argosy.network.dns.DnsZone;
import io.argosy.network.dns.Upstreams;
import io.argosy.network.proxy.HostNetwork;
import io.argosy.network.proxy.ProxyConfig;
import io.argosy.network.proxy.ProxyTable;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
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
    private static final NamespacedName WEB = NamespacedName.of("default", "web");
    private static final ProxyConfig CONFIG = ProxyConfig.of(
            "argosy-test", List.of(Cidr.parse("10.244.0.0/16")), List.of(Cidr.parse("10.96.0.0/16")), "node-1");

    /** Nothing is run: the host the tests stand on stays as it is. */
    private final HostNetwork host = new HostNetwork(CONFIG, List.of("true"));

    private final FakeInformers informers = new FakeInformers();
    private final BlockingQueue<String> scripts = new LinkedBlockingQueue<>();

    @Test
    void nothingIsProgrammedBeforeTheFirstListsAreThere() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system());
        try (ServiceProxy proxy = new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, flows -> {}), host)) {
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
        ServiceFeed feed = new ServiceFeed(informers, Clock.system());
        informers.start();
        try (ServiceProxy proxy = new ServiceProxy(feed, new ProxyTable(CONFIG, scripts::add, flows -> {}), host)) {
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
    void aRefusedChangeIsTriedAgainWithTheWholeTable() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system());
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
                flows -> {});
        try (ServiceProxy proxy = new ServiceProxy(feed, table, host)) {
            proxy.start();
            proxy.awaitReady();
            script();
            informers.of(Service.class).put(web());
            assertThat(script()).contains("delete table ip argosy-test", "10.96.0.20 . tcp . 80");
        }
    }

    @Test
    void namesFollowTheObjects() throws Exception {
        ServiceFeed feed = new ServiceFeed(informers, Clock.system());
        informers.of(Service.class).put(web());
        try (ClusterDns dns = new ClusterDns(
                feed,
                informers,
                DnsZone.Settings.of("cluster.local"),
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                Upstreams.fixed(),
                Clock.system())) {
            dns.start();
            SimpleResolver resolver = new SimpleResolver(dns.addresses().getFirst());
            resolver.setTimeout(Duration.ofSeconds(5));
            informers.start();
            dns.awaitReady();
            assertThat(address(resolver, "web.default.svc.cluster.local.")).isEqualTo("10.96.0.20");

            informers.of(Service.class).remove(WEB);
            await(() -> address(resolver, "web.default.svc.cluster.local.").equals("NXDOMAIN"));
        }
    }

    private interface Check {
        boolean holds() throws Exception;
    }

    private static void await(Check check) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
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
        String script = scripts.poll(5, TimeUnit.SECONDS);
        assertThat(script).as("a script in time").isNotNull();
        return script;
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
