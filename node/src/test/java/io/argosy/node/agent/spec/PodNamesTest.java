package io.argosy.node.agent.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.agent.NodeConfig;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodDNSConfigBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod is called, whom it asks for names, and what its hosts file says. */
class PodNamesTest {
    private static final NodeConfig NODE = NodeConfig.of("n1", Path.of("/home"), "192.168.0.1", "10.96.0.10");
    private static final DnsConfig HOST = new DnsConfig(List.of("9.9.9.9"), List.of("example.org"), List.of());
    private static final String LONG = "a".repeat(62) + "-bc";

    private static PodBuilder pod(String hostname, String subdomain, boolean full) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .endMetadata()
                .withNewSpec()
                .withHostname(hostname)
                .withSubdomain(subdomain)
                .withSetHostnameAsFQDN(full)
                .endSpec();
    }

    @ParameterizedTest
    @CsvSource({
        "'','',false,p",
        "web,'',false,web",
        "web,sub,false,web",
        "web,sub,true,web.sub.ns.svc.cluster.local",
        "'',sub,true,p.sub.ns.svc.cluster.local",
        "web,'',true,web"
    })
    void theHostNameIsThePodsOrTheOneItAsksFor(String hostname, String subdomain, boolean full, String name) {
        assertThat(PodNames.hostname(pod(hostname, subdomain, full).build(), NODE))
                .isEqualTo(name);
    }

    @Test
    void aNameIsCutButAFullOneThatIsTooLongIsRefused() {
        assertThat(PodNames.hostname(pod(LONG, "", false).build(), NODE)).isEqualTo("a".repeat(62));
        Pod tooLong = pod("a".repeat(40), "sub", true).build();
        assertThatThrownBy(() -> PodNames.hostname(tooLong, NODE))
                .hasMessage("failed to construct FQDN from pod hostname and cluster domain, FQDN " + "a".repeat(40)
                        + ".sub.ns.svc.cluster.local is too long (64 characters is the max, 65 characters requested)");
        Pod ofHost = pod("web", "sub", true)
                .editSpec()
                .withHostNetwork(true)
                .endSpec()
                .build();
        assertThat(PodNames.hostname(ofHost, NODE)).isEqualTo("n1");
    }

    @ParameterizedTest
    @CsvSource({
        "ClusterFirst,false,10.96.0.10,ns.svc.cluster.local,ndots:5",
        "ClusterFirst,true,9.9.9.9,example.org,''",
        "ClusterFirstWithHostNet,true,10.96.0.10,ns.svc.cluster.local,ndots:5",
        "Default,false,9.9.9.9,example.org,''"
    })
    void namesAreLookedUpByPolicy(String policy, boolean hostNetwork, String server, String search, String option) {
        Pod pod = pod("", "", false)
                .editSpec()
                .withDnsPolicy(policy)
                .withHostNetwork(hostNetwork)
                .endSpec()
                .build();
        DnsConfig dns = PodNames.dns(pod, NODE, HOST);
        assertThat(dns.servers()).containsExactly(server);
        assertThat(dns.searches()).startsWith(search);
        assertThat(String.join(" ", dns.options())).isEqualTo(option);
    }

    @Test
    void whatThePodSaysOfItsResolverIsAddedAndOptionsReplaced() {
        Pod pod = pod("", "", false)
                .editSpec()
                .withDnsPolicy("ClusterFirst")
                .withDnsConfig(new PodDNSConfigBuilder()
                        .withNameservers("1.1.1.1")
                        .withSearches("my.own")
                        .addNewOption("ndots", "2")
                        .addNewOption("edns0", null)
                        .build())
                .endSpec()
                .build();
        assertThat(PodNames.dns(pod, NODE, HOST))
                .isEqualTo(new DnsConfig(
                        List.of("10.96.0.10", "1.1.1.1"),
                        List.of("ns.svc.cluster.local", "svc.cluster.local", "cluster.local", "example.org", "my.own"),
                        List.of("ndots:2", "edns0")));
    }

    @Test
    void theHostsFileNamesThePodAndItsAliases() {
        Pod pod = pod("web", "sub", false)
                .editSpec()
                .addNewHostAlias()
                .withIp("1.2.3.4")
                .withHostnames("a.example", "b.example")
                .endHostAlias()
                .endSpec()
                .build();
        assertThat(HostsFile.of(pod, List.of("10.0.0.9", "fd00::9"), "web", "cluster.local"))
                .startsWith("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n")
                .contains("10.0.0.9\tweb.sub.ns.svc.cluster.local\tweb\n")
                .contains("fd00::9\tweb.sub.ns.svc.cluster.local\tweb\n")
                .endsWith("\n# Entries added by HostAliases.\n1.2.3.4\ta.example\tb.example\n");
        assertThat(HostsFile.ofHost(pod, "127.0.0.1\thost\n"))
                .startsWith("# Kubernetes-managed hosts file (host network).\n127.0.0.1\thost\n")
                .contains("1.2.3.4");
    }

    @Test
    void aFullNameAsHostNameHasTheShortOneBesideIt() {
        Pod pod = pod("web", "sub", true).build();
        String full = PodNames.hostname(pod, NODE);
        assertThat(HostsFile.of(pod, List.of("10.0.0.9"), full, "cluster.local"))
                .endsWith("10.0.0.9\tweb.sub.ns.svc.cluster.local\tweb\n");
        pod.getSpec().setHostnameOverride("other.example");
        assertThat(HostsFile.of(pod, List.of("10.0.0.9"), "other.example", "cluster.local"))
                .endsWith("10.0.0.9\tother.example\n");
    }

    @Test
    void aResolverIsToldNoMoreThanItCanRead() {
        List<String> searches = IntStream.range(0, 40).mapToObj(i -> "s" + i).toList();
        DnsLimits many = DnsLimits.of(new DnsConfig(List.of("1", "2", "3", "4"), searches, List.of("ndots:5")));
        assertThat(many.fitting())
                .isEqualTo(new DnsConfig(List.of("1", "2", "3"), searches.subList(0, 32), List.of("ndots:5")));
        assertThat(many.omitted())
                .containsExactly(
                        "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver"
                                + " line is: 1 2 3",
                        "Search Line limits were exceeded, some search paths have been omitted, the applied search line"
                                + " is: " + String.join(" ", searches.subList(0, 32)));
        DnsLimits longest = DnsLimits.of(
                new DnsConfig(List.of(), List.of("x".repeat(254), "a".repeat(253), "b".repeat(253)), List.of()));
        assertThat(longest.fitting().searches()).containsExactly("a".repeat(253), "b".repeat(253));
        List<String> line =
                IntStream.range(0, 10).mapToObj(i -> i + "y".repeat(249)).toList();
        assertThat(DnsLimits.of(new DnsConfig(List.of(), line, List.of()))
                        .fitting()
                        .searches())
                .isEqualTo(line.subList(0, 8));
        assertThat(DnsLimits.of(HOST)).isEqualTo(new DnsLimits(HOST, List.of()));
    }
}
