package io.argosy.cluster;

import io.argosy.api.NamespacedName;
import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.event.ApiEventRecorder;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.cluster.bootstrap.Bootstrap;
import io.argosy.cluster.home.Home;
import io.argosy.network.ClusterDns;
import io.argosy.network.HealthChecks;
import io.argosy.network.NodeZone;
import io.argosy.network.ServiceFeed;
import io.argosy.network.ServiceProxy;
import io.argosy.network.ServiceRanges;
import io.argosy.network.dns.DnsZone;
import io.argosy.network.dns.Upstreams;
import io.argosy.network.proxy.ConntrackTool;
import io.argosy.network.proxy.HostNetwork;
import io.argosy.network.proxy.Nft;
import io.argosy.network.proxy.ProxyConfig;
import io.argosy.network.proxy.ProxyTable;
import io.argosy.node.agent.NodeAgent;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.NodeStreams;
import io.argosy.node.agent.admission.Obstacle;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.log.LogFolders;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.stats.NodePages;
import io.argosy.node.agent.volume.TokenSource;
import io.argosy.node.image.ImageStore;
import io.argosy.node.image.LocalImageStore;
import io.argosy.node.runtime.oci.OciConfig;
import io.argosy.node.runtime.oci.OciRuntime;
import io.argosy.node.usage.UsageMeter;
import io.argosy.scheduler.NodeFit;
import io.argosy.server.kinds.PodManifests;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** This machine as a node: container runtime, agent, service proxy and cluster DNS. */
final class MachineNode implements AutoCloseable {
    private final ClusterConfig config;
    private final Home home;
    private final Ground ground;
    private final OciRuntime runtime;
    private final ImageStore images;
    private final NodeAgent agent;
    private final ApiEventRecorder proxyEvents;
    private final ServiceProxy proxy;
    private final HealthChecks healthChecks;
    private final ClusterDns dns;

    /** What the node stands on. */
    record Ground(
            Client client,
            TokenSource tokens,
            Bootstrap bootstrap,
            Informers informers,
            Clock clock,
            EventRecorder events,
            int port) {}

    MachineNode(ClusterConfig config, Home home, Ground ground) {
        this.config = config;
        this.home = home;
        this.ground = ground;
        this.runtime = openRuntime(config, home, ground.clock());
        this.images = LocalImageStore.open(home.images(), home.registries());
        NodeConfig node = NodeConfig.of(config.nodeName(), home.node(), config.address(), config.dnsServiceAddress())
                .withAddresses(config.nodeAddresses(), config.podCidrs())
                .with(config.node()
                        .withManifests(config.node().manifests().orElse(home.manifests()))
                        .withPort(ground.port()));
        this.agent = new NodeAgent(
                node,
                new NodeAgent.Ground(
                        ground.client(),
                        ground.informers().of(Pod.class),
                        ground.informers().of(Service.class),
                        runtime,
                        images,
                        ground.clock(),
                        ground.events(),
                        ground.tokens(),
                        PodManifests::complete,
                        room(config.nodeName(), ground.informers().of(Node.class))));
        this.proxyEvents = new ApiEventRecorder(ground.client(), "kube-proxy", config.nodeName(), ground.clock());
        ServiceFeed feed = new ServiceFeed(ground.informers(), ground.clock(), proxyEvents);
        ProxyConfig network = proxyConfig(config, home);
        ServiceRanges ranges = new ServiceRanges(
                ground.informers(),
                network.serviceCidrs(),
                network.podCidrs(),
                config.nodeAddresses().stream().map(Ip::parse).toList());
        this.proxy = new ServiceProxy(
                feed,
                proxyTable(network),
                hostNetwork(config, home),
                ranges,
                new NodeZone(ground.informers(), config.nodeName()));
        this.healthChecks = new HealthChecks(feed, config.nodeName());
        this.dns = new ClusterDns(
                feed,
                ranges,
                ground.informers(),
                new DnsZone.Settings(
                        config.clusterDomain(), 5, List.of(Ip.parse(config.dnsServiceAddress())), network.podCidrs()),
                List.of(new InetSocketAddress(config.address(), config.dnsPort().orElse(0))),
                Upstreams.resolvConf(Path.of("/etc/resolv.conf"), List.of(), ground.clock()),
                ground.clock());
    }

    /** The node asks by the rules of the scheduler; as long as it is not registered, it takes what comes. */
    private static Room room(String name, Informer<Node> nodes) {
        return (pod, others) -> nodes.get(new NamespacedName("", name)).stream()
                .flatMap(node -> NodeFit.check(node, others, pod).stream())
                .map(misfit -> new Obstacle(
                        new PodView.Ending(misfit.reason(), misfit.message()),
                        misfit.lacking().map(lack -> new Obstacle.Shortage(lack.resource(), lack.amount()))))
                .toList();
    }

    static OciRuntime openRuntime(ClusterConfig config, Home home, Clock clock) {
        return OciRuntime.open(
                OciConfig.of(home.runtime(), home.instance(), config.podCidr()).withMasquerade(false), clock);
    }

    private static HostNetwork hostNetwork(ClusterConfig config, Home home) {
        return new HostNetwork(new RememberedRoutes(config, home), List.of());
    }

    private static ProxyConfig proxyConfig(ClusterConfig config, Home home) {
        return ProxyConfig.of(
                "argosy-" + home.instance(),
                config.podCidrs().stream().map(Cidr::parse).toList(),
                config.serviceCidrs().stream().map(Cidr::parse).toList(),
                config.nodeName());
    }

    private static ProxyTable proxyTable(ProxyConfig settings) {
        return new ProxyTable(settings, Nft.system(), new ConntrackTool(List.of("conntrack")));
    }

    /** Takes the rules and routes of an earlier run off the machine. */
    static void removeRules(ClusterConfig config, Home home) throws IOException, InterruptedException {
        ProxyConfig settings = proxyConfig(config, home);
        proxyTable(settings).cleanup();
        hostNetwork(config, home).cleanup();
    }

    void start() throws IOException {
        RememberedRoutes routes = new RememberedRoutes(config, home);
        routes.routing(routes.routed());
        dns.start();
        int dnsPort = dns.addresses().getFirst().getPort();
        ground.bootstrap().dnsService(config.dnsServiceAddress(), config.address(), dnsPort);
        proxy.start();
        healthChecks.start();
        agent.start();
    }

    void awaitReady() throws InterruptedException {
        proxy.awaitReady();
        dns.awaitReady();
    }

    UsageMeter meter() {
        return agent.meter();
    }

    NodePages pages() {
        return agent.pages();
    }

    NodeStreams streams() {
        return agent.streams();
    }

    /** Ends all containers and takes everything off the machine that they needed. */
    void stopPods(Duration grace) throws InterruptedException, IOException {
        agent.stopAllPods(grace);
        agent.close();
        proxy.close();
        healthChecks.close();
        proxy.cleanup();
        runtime.destroyAll();
        LogFolders.ofHome(home.node()).leaveAll();
    }

    @Override
    public void close() throws Exception {
        agent.close();
        dns.close();
        proxy.close();
        healthChecks.close();
        proxyEvents.close();
        images.close();
        runtime.close();
    }
}
