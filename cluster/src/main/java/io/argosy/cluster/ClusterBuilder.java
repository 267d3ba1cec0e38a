package io.argosy.cluster;

import io.argosy.api.names.Lot;
import io.argosy.api.net.Cidr;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.cluster.home.HomeException;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.simulated.Fleet;
import io.argosy.node.simulated.Scene;
import io.argosy.scheduler.Profile;
import io.argosy.scheduler.SchedulerConfiguration;
import io.argosy.server.audit.Audit;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.memory.MemoryLog;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Puts together what a cluster is told; what is not said is as a user would expect. */
public final class ClusterBuilder {
    private Path home = Path.of(System.getProperty("user.home"), ".argosy");
    private int port = 6443;
    private ClusterConfig.Runtime runtime = ClusterConfig.Runtime.NONE;
    private int simulatedNodes;
    private String nodeName;
    private String address;
    private String podCidr = "10.244.0.0/24";
    private String serviceCidr = "10.96.0.0/16";
    private String clusterDomain = "cluster.local";
    private OptionalInt dnsPort = OptionalInt.empty();
    private boolean loadBalancer = true;
    private EtcdConfig etcd;
    private Authentication authentication = Authentication.OWN;
    private Optional<List<String>> encrypt = Optional.empty();
    private Optional<Audit.Config> audit = Optional.empty();
    private NodeSettings node = NodeSettings.USUAL;
    private List<Profile> profiles = List.of(Profile.DEFAULT);
    private Clock clock = Clock.system();
    private Lot lot = Lot.random();
    private Optional<MemoryLog> memory = Optional.empty();
    private Optional<Fleet> fleet = Optional.empty();
    private Scene scene = new Scene();
    private BiFunction<String, ApiTransport, ApiTransport> transports = (component, transport) -> transport;
    private Consumer<String> progress = line -> {};

    ClusterBuilder() {}

    public ClusterBuilder home(Path folder) {
        this.home = folder;
        return this;
    }

    /** 0 for any free port. */
    public ClusterBuilder port(int number) {
        this.port = number;
        return this;
    }

    public ClusterBuilder runtime(ClusterConfig.Runtime kind) {
        this.runtime = kind;
        return this;
    }

    public ClusterBuilder simulatedNodes(int count) {
        this.simulatedNodes = count;
        return this;
    }

    public ClusterBuilder nodeName(String name) {
        this.nodeName = name;
        return this;
    }

    /** This machine's own address; found out if it is not said. */
    public ClusterBuilder address(String own) {
        this.address = own;
        return this;
    }

    public ClusterBuilder podCidr(String cidr) {
        this.podCidr = cidr;
        return this;
    }

    public ClusterBuilder serviceCidr(String cidr) {
        this.serviceCidr = cidr;
        return this;
    }

    public ClusterBuilder dnsPort(int number) {
        this.dnsPort = OptionalInt.of(number);
        return this;
    }

    /** Whether the nodes answer for Services of type LoadBalancer. */
    public ClusterBuilder loadBalancer(boolean wanted) {
        this.loadBalancer = wanted;
        return this;
    }

    /** Keeps the state in etcd, which several clusters of one name may share; without it, in a database in the home. */
    public ClusterBuilder etcd(EtcdConfig where) {
        this.etcd = where;
        return this;
    }

    /** Who else than the holders of the cluster's own certificates and tokens is somebody. */
    public ClusterBuilder authentication(Authentication files) {
        this.authentication = files;
        return this;
    }

    /** Encrypts these resources in the store and no others; the home remembers it. Secrets are encrypted if it is never said. */
    public ClusterBuilder encrypt(List<String> resources) {
        this.encrypt = Optional.of(List.copyOf(resources));
        return this;
    }

    /** Has requests written down as a policy says. */
    public ClusterBuilder audit(Audit.Config how) {
        this.audit = Optional.of(how);
        return this;
    }

    /** What is wished of this machine's node; without a folder of manifests it takes the home's, if there is one. */
    public ClusterBuilder node(NodeSettings settings) {
        this.node = settings;
        return this;
    }

    /** Places pods as a KubeSchedulerConfiguration wants it; what is wrong with the file is said now. */
    public ClusterBuilder schedulerConfig(Path file) {
        this.profiles = ConfigFile.read(file, SchedulerConfiguration::parse);
        return this;
    }

    public ClusterBuilder clock(Clock other) {
        this.clock = other;
        return this;
    }

    /** Keeps the state in this log and nothing else anywhere: no home, no port. The next cluster on the same log goes on with it. */
    public ClusterBuilder inMemory(MemoryLog log) {
        this.memory = Optional.of(log);
        return this;
    }

    /** Who decides where chance may. */
    public ClusterBuilder lot(Lot other) {
        this.lot = other;
        return this;
    }

    /** Simulated nodes of this kind, on which what is arranged takes place. */
    public ClusterBuilder simulatedNodes(Fleet nodes, Scene arranged) {
        this.simulatedNodes = nodes.count();
        this.fleet = Optional.of(nodes);
        this.scene = arranged;
        return this;
    }

    /** Puts something between the parts of the cluster and its API, such as faults; it gets a component's name and its way to the API. */
    public ClusterBuilder transports(BiFunction<String, ApiTransport, ApiTransport> between) {
        this.transports = between;
        return this;
    }

    /** Hears, in words for people, how the start goes on. */
    public ClusterBuilder progress(Consumer<String> listener) {
        this.progress = listener;
        return this;
    }

    /** Starts the cluster; returns when its API server answers. */
    public Cluster start() {
        Fleet nodes = fleet.orElseGet(() -> Fleet.of(simulatedNodes));
        return Cluster.start(config(), new Surroundings(clock, lot, memory, nodes, scene, transports, progress));
    }

    ClusterConfig config() {
        return new ClusterConfig(
                home,
                port,
                runtime,
                simulatedNodes,
                nodeName == null ? hostName() : nodeName,
                address == null ? OwnAddresses.ipv4() : address,
                ranges("pods", podCidr),
                ranges("Services", serviceCidr),
                clusterDomain,
                dnsPort,
                loadBalancer,
                etcd,
                authentication,
                encrypt,
                audit,
                node,
                profiles);
    }

    /** One IPv4 range, and perhaps an IPv6 one after it. */
    private static String ranges(String whose, String cidrs) {
        String[] parts = cidrs.replace(" ", "").split(",", -1);
        try {
            boolean good = parts.length <= 2 && !Cidr.parse(parts[0]).base().v6();
            good &= parts.length == 1 || Cidr.parse(parts[1]).base().v6();
            if (good) {
                return String.join(",", parts);
            }
        } catch (IllegalArgumentException e) {
            throw new HomeException(
                    "The addresses of " + whose + " are not a range such as 10.244.0.0/24: " + cidrs + ".", e);
        }
        throw new HomeException("The addresses of " + whose
                + " must be one IPv4 range, or an IPv4 and an IPv6 one with a comma between: " + cidrs + ".");
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
        } catch (UnknownHostException unnamed) {
            return "localhost";
        }
    }
}
